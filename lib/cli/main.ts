#!/usr/bin/env node
/** The executable. */
import { main } from './program.ts';

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
