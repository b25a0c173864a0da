# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For each file a line "lines NUMBER FILE", and for each class in it a line "class NUMBER NAME FILE:LINE", from its
# head to its closing brace. Of C++ it knows strings, comments and braces, as far as clang-format leaves them to see.

FNR == 1 {
    if (NR > 1) print "lines", last, file
    file = FILENAME
    depth = 0
    name = ""
}

{
    last = FNR
    text = $0
    gsub(/"([^"\\]|\\.)*"/, "", text)
    gsub(/'[{};]'/, "", text)
    sub(/\/\/.*/, "", text)

    head = text
    if (match(head, /^ *(template <.*> )?(class|struct) /) && head !~ /enum (class|struct)/) {
        sub(/^ *(template <.*> )?(class|struct) /, "", head)
        gsub(/\[\[[^]]*\]\] */, "", head)
        if (match(head, /^[A-Za-z_0-9]+/)) {
            name = substr(head, RSTART, RLENGTH)
            from = FNR
        }
    }

    count = split(text, letters, "")
    for (n = 1; n <= count; n++) {
        if (letters[n] == "{") {
            depth++
            if (name != "") {
                names[depth] = name
                starts[depth] = from
                name = ""
            }
        } else if (letters[n] == "}") {
            if (depth in names) {
                print "class", FNR - starts[depth] + 1, names[depth], file ":" starts[depth]
                delete names[depth]
            }
            depth--
        } else if (letters[n] == ";") {
            name = ""  # a declaration
        }
    }
}

END { print "lines", last, file }
