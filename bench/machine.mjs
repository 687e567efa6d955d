// The conditions of a measurement: one line that says on what machine and with what versions it was made.
import { cpus, loadavg, totalmem } from 'node:os';

/** For example `AMD EPYC x 2, 24 GiB, linux x64, Node v20.20.2`. */
export function machineLine() {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus()[0].model.trim()} x ${cpus().length}, ${memory} GiB, ${process.platform} ${process.arch}, Node ${process.version}`;
}

/** How busy the machine was: the load average of the last minute when the benchmark began. */
export const loadBefore = loadavg()[0];
