# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of warpgauge for bash.

# What follows an option; 1 if it is none that takes a word.
_warpgauge_value() {
    local IFS=$'\n'
    case $1 in
        --device)
            # Names have spaces: short forms with underscores are names too.
            COMPREPLY=($(compgen -W "$("$program" devices --csv 2>/dev/null | sed '1d; s/,.*//; s/[ ]/_/g' |
                tr '[:upper:]' '[:lower:]')" -- "$current"))
            ;;
        --model)
            COMPREPLY=($(compgen -W "$(printf '%s\n' roofline mwp_cwp mpd_cpd trapezoid makespan hybrid ppt_compat saturation)" \
                -- "$current"))
            ;;
        --launch | --launches | --ptxas | --svg) COMPREPLY=($(compgen -f -- "$current")) ;;
        --kernel | --grid | --block | --threads | --shared | --arg | --define | -D | --arch | --rounds | --taken | --registers | --set | --keep)
            COMPREPLY=()
            ;;
        *) return 1 ;;
    esac
}

_warpgauge() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    local launch="--launch --kernel --grid --block --threads --shared --arg --define --arch --ptxas --rounds --taken --all-blocks"
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "predict compare explain what-if occupancy sensitivity roofline timeline rank kernels devices --help --version" -- "$current"))
        return
    fi
    _warpgauge_value "$previous" && return
    if [[ $current == -* ]]; then
        local options="--help --json --csv"
        case $command in
            predict) options+=" $launch --device --model --details --svg" ;;
            compare | explain | sensitivity | roofline) options+=" $launch --device --model --svg" ;;
            timeline) options+=" $launch --device --svg" ;;
            what-if) options+=" $launch --device --model --set --svg" ;;
            occupancy) options+=" $launch --device --registers" ;;
            rank) options+=" ${launch/--launch /--launches } --device --model --keep --jobs --svg --kernel-tuner
                --problem-size --grid-div-x --grid-div-y --grid-div-z --restriction" ;;
        esac
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    elif [[ $command == devices ]]; then
        _warpgauge_value --device
    else
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}

complete -o filenames -F _warpgauge warpgauge
