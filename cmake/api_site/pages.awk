# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How the API site reads a document: headings get the anchors that code hosts give them, links between documents
# become links between pages, and the name of a header leads to its page.

function page_of(path,    name) {
    if (path ~ /\/docs\/README/ || (in_docs && path ~ /^README/)) return "page_documentation"
    name = path
    sub(/^(\.\.?\/)*(docs\/)?/, "", name)
    sub(/.*\//, "", name)
    sub(/\.md$/, "", name)
    return "page_" name
}
function anchor_of(heading) {
    heading = tolower(heading)
    gsub(/[^a-z0-9_ -]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}
function links(text,    done, target, shown, start, length_) {
    done = ""
    while (match(text, /\[[^][]*\]\([^() ]+\)/)) {
        start = RSTART
        length_ = RLENGTH
        shown = substr(text, start + 1, length_ - 2)
        target = shown
        sub(/\]\(.*/, "", shown)
        sub(/.*\]\(/, "", target)
        is_image = substr(text, start - 1, 1) == "!"
        done = done substr(text, 1, start - 1)
        text = substr(text, start + length_)
        if (target ~ /^https?:/) {
            done = done "[" shown "](" target ")"
        } else if (is_image) {
            sub(/.*\//, "", target)
            done = done "[" shown "](" target ")"
        } else if (target ~ /^#/) {
            done = done "[" shown "](@ref " this "_" substr(target, 2) ")"
        } else if (target ~ /\.md#/) {
            anchor = target
            sub(/.*#/, "", anchor)
            sub(/#.*/, "", target)
            done = done "[" shown "](@ref " page_of(target) "_" anchor ")"
        } else if (target ~ /(^|\/)api\.md$/) {
            done = done "[" shown "](@ref index)"
        } else if (target ~ /\.md$/) {
            done = done "[" shown "](@ref " page_of(target) ")"
        } else {
            done = done shown
        }
    }
    return done text
}
# `warpgauge/models/makespan.hpp` and `warpgauge::errc` without the marks of code, so that they are links.
function header_names(text,    done) {
    done = ""
    while (match(text, /`([a-z_0-9\/]+\.hpp|warpgauge::[a-z_0-9:]+(\(\))?)`/)) {
        done = done substr(text, 1, RSTART - 1) substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
    }
    return done text
}

# The paper's symbols, such as #Rep, are no links; those in code are none anyway.
function symbols(text,    done, ahead) {
    done = ""
    while (match(text, /#[A-Z]/)) {
        ahead = done substr(text, 1, RSTART - 1)
        done = ahead (gsub(/`/, "`", ahead) % 2 ? "#" : "\\#")
        text = substr(text, RSTART + 1)
    }
    return done text
}

BEGIN { in_docs = 0 }
FNR == 1 {
    in_docs = FILENAME ~ /\/docs\/[^\/]*$/
    is_main = FILENAME ~ /\/docs\/api\.md$/
    this = page_of(FILENAME)
}
/^ *```/ { in_code = !in_code; print; next }
in_code { print; next }
/^<!-- .* -->$/ { print ""; next }
/^#+ / {
    heading = $0
    sub(/^#+ +/, "", heading)
    id = anchor_of(heading)
    if (/^# / && is_main) { print; next }
    if (/^# /) { print $0 " {#" this "}"; next }
    seen[id]++
    if (seen[id] > 1) id = id "-" (seen[id] - 1)
    print $0 " {#" this "_" id "}"
    next
}
{ print header_names(links(symbols($0))) }
