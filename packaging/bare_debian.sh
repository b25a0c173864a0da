#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every way to get the library, on a bare Debian 12: a new system of debootstrap, which has what is committed here and no package
# but what each way says that it needs: README's two commands, the Debian packages, CMake, pkg-config, Python, one header. Each way
# builds a program and prints a prediction. Needs root and debootstrap.
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)
systems=$(mktemp -d --tmpdir bare_debian.XXXXXX)
root=$systems/packages
trap 'umount "$systems"/*/proc 2>/dev/null || true; rm -rf --one-file-system "$systems"' EXIT

# Where this machine has its packages from.
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' | sed -n 's/^bookworm //p' | head -n 1)
debootstrap --variant=minbase bookworm "$root" "${mirror:?no Debian 12 in the lists of apt}" > "$root.log" 2>&1 ||
    { tail -n 20 "$root.log"; exit 1; }
git clone --quiet --no-hardlinks "file://$sources" "$root/warpgauge"
commit=$(git -C "$root/warpgauge" rev-parse HEAD)
cp -a "$root" "$systems/readme"  # README's commands name their packages, too
mount -t proc proc "$systems/packages/proc"
mount -t proc proc "$systems/readme/proc"

# Runs commands in the system at $root, at the checkout, and shows what they print last.
way() {
    local name=$1 seconds=$SECONDS
    if ! chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
        bash -euo pipefail -c "cd /warpgauge; $2" > "$root/log" 2>&1; then
        tail -n 40 "$root/log"
        echo "failed: $name"
        exit 1
    fi
    printf '%-28s %4d s   %s\n' "$name" $((SECONDS - seconds)) "$(tail -n 1 "$root/log" | cut -c 1-100)"
}

consumer() {  # name, folder of tests/consumer, what CMake is told
    way "$1" "cmake -S tests/consumer/$2 -B /tmp/$2 -G Ninja $3; cmake --build /tmp/$2; /tmp/$2/consumer"
}

readme() {
    sed -n "/<!-- command: $1 -->/,/^\`\`\`\$/p" "$sources/README.md" | sed '1,2d;$d'
}

way "new system" "apt-get update; grep PRETTY_NAME /etc/os-release"
way "one header" "apt-get install -y g++ cmake
    cmake -D output=/tmp/one/warpgauge/warpgauge.hpp -P cmake/single_header.cmake
    g++ -std=c++20 -I/tmp/one tests/consumer/main.cpp -o /tmp/one/main; /tmp/one/main"
way "Debian packages: the program" "apt-get install -y ninja-build file libcli11-dev nlohmann-json3-dev
    cmake -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DWARPGAUGE_BUILD_TESTS=OFF \
        -DWARPGAUGE_BUILD_EXAMPLES=OFF -DWARPGAUGE_BUILD_BINDINGS=ON
    cmake --build build; (cd build && cpack -G DEB)
    apt-get install -y ./build/*.deb
    warpgauge predict examples/kernels/saxpy.sm_75.ptx --threads 4194304 --block 256 --arg n=4194304 --device l40"
way "Debian packages: Python" "cd /; python3 -c \"from warpgauge import *
print(predict(Device('l40'), Profile(blocks=4096, threads_per_block=256, comp_insts=10, coalesced_mem_insts=3)))\""
consumer "Debian packages: C" c ""
consumer "find_package" find_package ""
way "pkg-config" "apt-get install -y pkg-config
    g++ -std=c++20 \$(pkg-config --cflags warpgauge) tests/consumer/main.cpp -o /tmp/main; /tmp/main"
way "without the packages" "apt-get remove -y libwarpgauge-dev; test ! -e /usr/include/warpgauge/warpgauge.hpp; echo removed"
consumer "add_subdirectory" add_subdirectory "-Dwarpgauge_dir=/warpgauge"
way "git" "apt-get install -y git; git config --global --add safe.directory '*'; git --version"
consumer "FetchContent" fetch_content "-Dwarpgauge_repository=file:///warpgauge -Dcommit=$commit"

root=$systems/readme
way "new system" "apt-get update; grep PRETTY_NAME /etc/os-release"
way "README: the main job" "$(readme main)"
way "README: the tests" "$(readme test)"
