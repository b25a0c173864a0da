# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page in headless Chromium shows what the program prints.

check_page.py FOLDER PROGRAM KERNELS CHROMIUM [PICTURES]: PICTURES is a folder for page_light.png and page_dark.png.
"""

import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import browser as browsers

FOLDER, PROGRAM, KERNELS, CHROMIUM, *PICTURES = sys.argv[1:]
PROGRAM = str(pathlib.Path(PROGRAM).resolve())  # it runs in other folders

# Address of the page; the file of its example; the same in a shell.
SAXPY = ["kernel.ptx", "--kernel", "saxpy", "--grid", "16384", "--block", "256", "--arg", "0=4194304"]
TILED = ["kernel.ptx", "--kernel", "matmul_tiled", "--grid", "64,64", "--block", "16,16", "--arg", "0=1024"]
CASES = [
    ({"example": "saxpy", "gpu": "H100 SXM5"}, "saxpy", [*SAXPY, "--device", "H100 SXM5"], []),
    ({"example": "matrix product, tiled", "gpu": "L40", "set-clock_hz": "2", "set-registers_per_sm": "2"}, "matmul", [*TILED, "--device", "L40"], []),
    ({"example": "matrix product, tiled", "gpu": "GeForce RTX 2070 SUPER", "model": "mwp_cwp", "block": "32,8"},
     "matmul", [*(TILED[:6] + ["32,8"] + TILED[7:]), "--device", "GeForce RTX 2070 SUPER"], ["--model", "mwp_cwp"]),
]
# Address of the page; what it says is wrong; the field that it marks.
MISTAKES = [
    ({"example": "saxpy", "arg0": ""}, "kernel.ptx: argument 1 (u32 saxpy_param_0) has no value; --arg 0=VALUE gives it one", "place=0"),
    ({"example": "saxpy", "block": "2048"},
     "kernel.ptx: block has 2048 threads; a device allows 1024", "id=block"),
    ({"example": "saxpy", "grid": "4,x"}, "--grid 4,x: takes one to three whole numbers, as 64,64", "id=grid"),
]

VOID = {"meta", "link", "input", "br", "path", "rect", "circle", "stop", "polyline"}


class Node:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, dict(attributes), parent
        self.children, self.parts = [], []

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def text(self):
        return "".join(part if isinstance(part, str) else part.text() for part in self.parts)

    def by_id(self, name):
        return next(node for node in self.walk() if node.attributes.get("id") == name)

    def all(self, tag):
        return [node for node in self.walk() if node.tag == tag]


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.root = self.open = Node("", [], None)

    def handle_starttag(self, tag, attributes):
        node = Node(tag, attributes, self.open)
        self.open.children.append(node)
        self.open.parts.append(node)
        if tag not in VOID:
            self.open = node

    def handle_endtag(self, tag):
        if tag not in VOID and any(node.tag == tag for node in ancestors(self.open)):
            while self.open.tag != tag:
                self.open = self.open.parent
            self.open = self.open.parent

    def handle_data(self, data):
        self.open.parts.append(data)


def ancestors(node):
    while node is not None:
        yield node
        node = node.parent


def address_of(state):
    return pathlib.Path(FOLDER, "index.html").resolve().as_uri() + "#" + urllib.parse.urlencode(state)


def opened(state, **how):
    """A page that has answered, or said what is wrong."""
    page = browser.open(address_of(state), **how)
    page.wait_for("document.readyState === 'complete' && "
                  "(document.documentElement.dataset.done || document.getElementById('error')?.textContent)")
    return page


def read(page):
    reader = Reader()
    reader.feed(page.value("document.documentElement.outerHTML"))
    return reader.root


def program(file, *arguments):
    """What the program prints where it finds what the page has, and no other file."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("ptx", "ptxas"):
            shutil.copy(f"{KERNELS}/{file}.sm_75.{kind}", f"{folder}/kernel.{kind}")
        done = subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, text=True, cwd=folder, check=True)
    return done.stdout


def shown(root, section):
    """The exact numbers of a section, in order."""
    return [float(node.attributes["value"]) for node in root.by_id(section).all("data")]


failures = []


def expect(what, got, expected):
    if got != expected:
        failures.append(f"{what}: {got!r}, not {expected!r}")


def check_numbers(state, file, arguments, model):
    root = read(opened(state))
    name = str(state)
    predicted = program(file, "predict", *arguments, *model)
    # Byte by byte, but for the end of the last line.
    expect(f"{name}: JSON", root.by_id("json").text(), predicted.rstrip("\n"))
    expect(f"{name}: time", shown(root, "time"), [json.loads(predicted)["predictions"][0]["seconds"]])

    by_model = json.loads(program(file, "compare", *arguments))["seconds"][0]
    expect(f"{name}: models", sorted(shown(root, "models")),
           sorted(s for model, s in by_model.items() if model != "gpu" and s is not None))
    occupancy = json.loads(program(file, "occupancy", *arguments))["occupancy"][0]
    expect(f"{name}: occupancy", shown(root, "occupancy"),
           [occupancy["occupancy"], occupancy["blocks_per_sm"], occupancy["warps_per_sm"]])
    expect(f"{name}: limiter", occupancy["limited_by"] in root.by_id("occupancy").text(), True)
    expect(f"{name}: next step", occupancy["next_step"] in root.by_id("occupancy").text(), True)

    removals = json.loads(program(file, "explain", *arguments, *model))["removals"]
    expect(f"{name}: gains", shown(root, "limits"),
           [x for r in removals if r["seconds"] is not None for x in (r["seconds"], r["gain_fraction"])])
    slopes = json.loads(program(file, "sensitivity", *arguments, *model))["sensitivities"]
    expect(f"{name}: sensitivities", shown(root, "sensitivity"),
           [s[key] for s in slopes for key in ("elasticity", "below", "above")])
    changes = [f"--set={key[4:]}={value}x" for key, value in state.items() if key.startswith("set-")]
    if changes:
        _, *answers = json.loads(program(file, "what-if", *arguments, *model, *changes))["answers"]
        expect(f"{name}: sliders", sorted(shown(root, "sliders")),
               sorted(x for a in answers[:len(changes)] for x in (a["seconds"], a["speed_up"])))
        expect(f"{name}: all sliders", shown(root, "what-if"), [answers[-1]["seconds"], answers[-1]["speed_up"]])
    for section in ("limits", "roofline", "sensitivity"):
        expect(f"{name}: pictures of {section}", len(root.by_id(section).all("svg")), 1)
        expect(f"{name}: NaN in {section}", "nan" in root.by_id(section).text().lower(), False)
    expect(f"{name}: error", root.by_id("error").text(), "")


def check_example(example):
    """What the page says of an example is what the program says, byte by byte."""
    page = opened({"example": example["title"], "gpu": "L40"})
    kernel = page.value("at('kernel').value")
    arguments = [word for place, value in example["arguments"].items() for word in ("--arg", f"{place}={value}")]
    predicted = program(example["file"].removesuffix(".sm_75"), "predict", "kernel.ptx", "--kernel", kernel, "--grid",
                        example["grid"], "--block", example["block"], *arguments, "--device", "L40")
    expect(example["title"], page.value("at('json').textContent"), predicted.rstrip("\n"))


def check_mistake(state, error, marked):
    root = read(opened(state))
    expect(f"{state}: error", root.by_id("error").text().removesuffix("Go there"), error)
    fields = [node for node in root.walk() if node.attributes.get("aria-invalid") == "true"]
    names = [f"id={f.attributes['id']}" if "id" in f.attributes else f"place={f.attributes['data-place']}" for f in fields]
    expect(f"{state}: marked fields", names, [marked])


def check_names(root):
    """Every field has a label, every picture and every region a name."""
    labelled = {node.attributes["for"] for node in root.all("label") if "for" in node.attributes}
    for tag in ("input", "select", "textarea"):
        for field in root.all(tag):
            inside = any(node.tag == "label" for node in ancestors(field))
            expect(f"label of {field.attributes}", inside or field.attributes.get("id") in labelled, True)
    for section in root.all("section"):
        title = section.attributes["aria-labelledby"]
        expect(f"title of {title}", root.by_id(title).tag, "h2")
    for svg in root.all("svg"):
        expect("role of a picture", svg.attributes["role"], "img")
    ids = [node.attributes["id"] for node in root.walk() if "id" in node.attributes and "linear" not in node.tag]
    expect("identifiers that are used twice", sorted({i for i in ids if ids.count(i) > 1}), [])
    outside = [value for node in root.walk() for key, value in node.attributes.items()
               if key in ("src", "href") and value and (":" in value and not value.startswith("data:"))]
    expect("resources from outside", outside, [])


def check_keyboard():
    """The keys alone reach every field in the order of the page, and an error's place."""
    page = opened({"example": "saxpy", "gpu": "H100 SXM5"})
    reached = []
    for _ in range(14):
        page.press("Tab", 9)
        reached.append(page.value("(e => e.id || e.dataset.place || e.textContent)(document.activeElement)"))
    expect("fields by Tab", reached, ["Skip to the results", "example", "ptx", "file", "kernel", "grid", "block", "shared",
                                      "0", "gpu", "model", "More of the launch", "Predict", "The same in a shell"])
    page.value("""at('ptx').value = '.version 7.0\\n.target sm_75\\n.address_size 64\\n.visible .entry k() { add.u32 %r1 %r2; }\\n';
                  at('ptx').dispatchEvent(new Event('input', {bubbles: true}))""")
    page.wait_for("at('error').textContent")
    expect("bad PTX", page.value("at('error').firstChild.textContent"), "kernel.ptx:4:35: ',' or ';' is expected here")
    page.value("at('error').querySelector('button').focus()")
    page.press("Enter", 13)
    expect("the place of the error", page.value("[document.activeElement.id, at('ptx').value.slice(at('ptx').selectionStart)]"),
           ["ptx", "%r2; }\n"])


def check_narrow():
    page = opened({"example": "saxpy"}, width=400)
    expect("width of the page on a narrow screen", page.value("document.documentElement.scrollWidth"), 400)


with browsers.Browser(CHROMIUM) as browser:
    for case in CASES:
        check_numbers(*case)
    examples = json.loads(pathlib.Path(__file__).parents[2].joinpath("page/examples.json").read_text())
    for example in examples:
        check_example(example)
    for mistake in MISTAKES:
        check_mistake(*mistake)
    check_names(read(opened({"example": "saxpy", "gpu": "H100 SXM5"})))
    check_keyboard()
    check_narrow()
    for folder in PICTURES:
        for name in ("light", "dark"):
            opened({"example": "matrix product, tiled"}, width=1280, height=830, dark=name == "dark").picture(
                f"{folder}/page_{name}.png")
for failure in failures:
    print(failure, file=sys.stderr)
print(f"{len(CASES) + len(examples)} launches, {len(MISTAKES)} mistakes, {len(failures)} failures")
sys.exit(bool(failures))
