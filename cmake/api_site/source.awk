# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How the API site reads a header: no line is added or lost, so that warnings name the right one.
# - Text behind \file is the text of the file, where Doxygen would take its first word for a file name.
# - The codes of \errors are items of a list.
# - The dot of an abbreviation ends no sentence.
# - The table of device parameters is written out, so that concepts, members and constants of devices have its texts.
# Options: -v parameters=PATH of device/parameters.hpp.

BEGIN {
    error_code = "(not_positive|negative|missing|exceeds_device|unknown_compute_capability|unknown_parameter|" \
        "outside_domain|overflow|limit_reached|malformed|expected|unknown_name|ambiguous_name|broken_constraint|" \
        "not_an_enumerator|already_full|exceeds_memory)"
    error_codes = "^" error_code "(, " error_code ")*"
    while ((getline row < parameters) > 0) read_row(row)
    close(parameters)
}

# The table: P(group, name, "unit", range, "meaning") and V(type, name, "meaning"), under a comment for each group.
function read_row(row,    parts) {
    if (row ~ /^\/\/\/ /) {
        comment = comment (comment == "" ? "" : " ") substr(row, 5)
    } else if (row ~ /^#define WARPGAUGE_ROWS_/) {
        sub(/^#define WARPGAUGE_ROWS_/, "", row)
        sub(/\(.*/, "", row)
        group_names[++groups] = row
        if (comment == "") comment = group_text[groups - 1]
        group_text[groups] = comment
        comment = ""
    } else if (row ~ /^    [PV]\(.*"/) {
        split(row, parts, "\"")
        split(parts[1], words, /[(), ]+/)
        meaning = toupper(substr(parts[4], 1, 1)) substr(parts[4], 2)
        if (row ~ /^    P/) {
            unit = parts[2] == "1" ? "a pure number" : parts[2]
            add_member(words[4], "Real", meaning " (" unit "; " range_text(parts[3]) ").", 1)
        } else {
            meaning = toupper(substr(parts[2], 1, 1)) substr(parts[2], 2)
            add_member(words[4], words[3], meaning ".", 0)
        }
    } else {
        comment = ""
    }
}
function add_member(name, type, text, is_number) {
    members[groups] = members[groups] " " name
    member_type[name] = type
    member_text[name] = plain(text)
    if (is_number) parameter_list = parameter_list " " name
}
function range_text(range) {
    if (range ~ /positive/) return "above 0"
    if (range ~ /non_negative/) return "0 or above"
    if (range ~ /whole/) return "a whole number"
    return "0 to 1"
}
function plain(text,    n, letter, done) {
    done = ""
    for (n = 1; n <= length(text); ++n) {
        letter = substr(text, n, 1)
        done = done (index("@\\<#", letter) ? "\\" : "") letter
    }
    return done
}
function dots(text,    done) {
    done = ""
    while (match(text, /(^|[^A-Za-z])(eqs?|tbl|sec|secs|al|fig|figs|ch|app|vs|p|pp|no|cf)\. /)) {
        done = done substr(text, 1, RSTART + RLENGTH - 2) "\\ "
        text = substr(text, RSTART + RLENGTH)
    }
    return done text
}
# The paper's symbols, such as #Rep, are no links.
function words_of(text,    done) {
    done = ""
    while (match(text, /[ [(]#[A-Z]/)) {
        done = done substr(text, 1, RSTART) "\\#"
        text = substr(text, RSTART + 2)
    }
    return dots(done text)
}
# Parameters that share a declaration, as declarations of their own.
function apart(line,    done, next_name, start, length_) {
    done = ""
    while (match(line, /, [a-z_0-9]+ = /)) {
        start = RSTART
        length_ = RLENGTH
        next_name = substr(line, start + 2, length_ - 5)
        done = done substr(line, 1, start - 1)
        if (next_name in member_text) done = done "; " doc(member_text[next_name]) "static constexpr double "
        else done = done ", "
        done = done next_name " = "
        line = substr(line, start + length_)
    }
    return done line
}
function doc(text) { return "/** " dots(text) " */ " }

function concepts(    g, all) {
    for (g = 1; g <= groups; ++g) {
        all = all doc("A device that has the group `" group_names[g] "`. " group_text[g]) \
            "template <class D> concept has_" group_names[g] " = true; "
    }
    return all
}
function structs(of_source,    g, n, count, names, all) {
    for (g = 1; g <= groups; ++g) {
        all = all doc("The group `" group_names[g] "`" \
            (of_source ? " as constants of `Source::values`. " : " as data members. ") group_text[g])
        all = all (of_source ? "template <class Source> " : "template <class Real = double> ")
        all = all "struct " group_names[g] " { "
        count = split(members[g], names, " ")
        for (n = 1; n <= count; ++n) {
            all = all doc(member_text[names[n]])
            all = all (of_source ? "static constexpr double " names[n] " = Source::values." names[n] \
                                 : member_type[names[n]] " " names[n] "{}") "; "
        }
        if (!of_source) {
            all = all doc("Whether all members of two are equal.") \
                "static constexpr bool same(const " group_names[g] "& a, const " group_names[g] "& b); " \
                doc("The enumerator of the group.") "static constexpr device_group which{}; " \
                doc("Whether a member is not a number.") "static constexpr bool has_values{}; " \
                doc("Whether the type `D` has the group.") "template <class D> static constexpr bool known_of{}; " \
                doc("The group of a device, copied.") \
                "template <class D> static constexpr " group_names[g] " copy_of(const D& from); " \
                doc("Calls `visit(device_parameter, member)` for each member that is a number.") \
                "template <class Device, class Visitor> static constexpr void for_each(Device& of, Visitor& visit); "
        }
        all = all "}; "
    }
    return all
}
function parameter_enumerators(    n, count, names, all) {
    count = split(parameter_list, names, " ")
    for (n = 1; n <= count; ++n) all = all doc(member_text[names[n]]) names[n] ", "
    return all
}
function group_enumerators(    g, all) {
    for (g = 1; g <= groups; ++g) all = all doc(group_text[g]) group_names[g] ", "
    return all
}

FNR == 1 {
    is_table = FILENAME ~ /device\/parameters\.hpp$/
    is_device = FILENAME ~ /warpgauge\/(devices\/[^\/]*|device\/cu_limits|device\/sm_limits)\.hpp$/
    pending = 0
    in_rows = 0
    source = ""
}

# The header of the table: macros give way to what they make.
is_table && /^\/\/ Rows of a group/ { in_rows = 1 }
is_table && /^\/\/ clang-format on/ { in_rows = 0 }
is_table && in_rows { print ""; next }
is_table && (continues || /^#(define|undef) WARPGAUGE_[A-Z]/) && !/_HPP$/ {
    continues = /\\$/
    print ""
    next
}
is_table && /^WARPGAUGE_GROUPS\(WARPGAUGE_CONCEPT\)/ { print concepts(); next }
is_table && /^WARPGAUGE_GROUPS\(WARPGAUGE_STRUCT\)/ { print structs(0); next }
is_table && /^WARPGAUGE_GROUPS\(WARPGAUGE_CONSTANTS\)/ { print structs(1); next }
is_table && /^enum class device_parameter/ {
    print "enum class device_parameter : std::uint8_t { " parameter_enumerators() "};"
    next
}
is_table && /^enum class device_group/ {
    print "enum class device_group : std::uint8_t { " group_enumerators() "};"
    next
}

# A constant of a device: the meaning from the table, the source from the comment above or behind.
is_device && /^ *\/\/ / {
    if (source_is_read) source = ""
    source_is_read = 0
    text = $0
    sub(/^ *\/\/ /, "", text)
    source = source (source == "" ? "" : " ") text
    print ""
    next
}
is_device && /^ *$/ { source = "" }
is_device && /^ +static constexpr / {
    name = $0
    sub(/ *[={;].*/, "", name)
    sub(/.* /, "", name)
    text = member_text[name]
    if (name == "name") text = "The name in full."
    if (name == "aliases") text = "Other names: as the maker's software reports it, and short ones."
    if (text != "") {
        source_is_read = 1
        own = source
        if (match($0, /\/\/ .*$/)) {
            own = substr($0, RSTART + 3)
            $0 = substr($0, 1, RSTART - 1)
        }
        if (own != "") text = text " Source: " plain(own)
        sub(/^ +/, "")
        $0 = "    " doc(text) apart($0)
    }
}

# The text of a file takes the place of the empty line above it.
/^$/ && !pending { pending = 1; next }
pending && /^\/\/\/ \\file ./ {
    print "/// \\file"
    pending = 0
    sub(/\\file /, "")
    print words_of($0)
    next
}
pending { print ""; pending = /^$/; if (pending) next }
# Errors, one code a line, as a list.
function error_item(text,    codes) {
    codes = text
    if (!match(codes, error_codes)) return text
    codes = substr(text, 1, RLENGTH)
    text = substr(text, RLENGTH + 1)
    sub(/^[ ,]+/, "", text)
    return "- `" codes "`: " text
}
/^ *\/\/\/ \\errors / {
    in_errors = 1
    match($0, /\\errors /)
    head = substr($0, 1, RSTART + 7)
    $0 = head error_item(substr($0, length(head) + 1))
}
in_errors && !/\\errors / {
    if (!match($0, /^ *\/\/\/  +/)) {
        in_errors = 0
    } else {
        head = substr($0, 1, RLENGTH)
        text = substr($0, RLENGTH + 1)
        if (error_item(text) != text) sub(/ +$/, "  ", head)  # the place of the first item, behind the alias
        $0 = head error_item(text)
    }
}
# Doxygen takes the mark between digits for a quote.
/[0-9a-f]'[0-9a-f]/ {
    while (match($0, /(0x[0-9a-f]+|[0-9])'[0-9a-f]/)) {
        $0 = substr($0, 1, RSTART + RLENGTH - 3) substr($0, RSTART + RLENGTH - 1)
    }
}
/\/\/\// { $0 = words_of($0) }
{ print }
END { if (pending) print "" }
