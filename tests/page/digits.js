// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';

// Prints what the page's program answers, one line of JSON for each line of arguments on the standard input:
//
//     node digits.js PAGE FOLDER < ARGUMENTS
//
// where the first argument after the command is a file of FOLDER.
const fs = require('fs');
const path = require('path');

const [page, folder] = process.argv.slice(2);
const load = require(path.resolve(page, 'warpgauge.js'));
const said = [];

load({print: line => said.push(line), printErr: line => console.error(line)}).then(program => {
  for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    const words = JSON.parse(line);
    program.FS.writeFile(words[1], fs.readFileSync(path.join(folder, words[1]), 'utf8'));
    said.length = 0;
    const status = program.callMain(words);
    if (status !== 0) process.exit(1);
    console.log(JSON.stringify(JSON.parse(said.join('\n'))));
  }
});
