// DuckDB on the files of bench/peers.mjs: duckdb_peer.mjs CODES QUERIES DISTANCE OUT. One thread. The way to ask
// a database for pairs within k = 3 bits: 5 blocks, of which any two are whole, so 10 joins on 25 or 26 bits.
// Results as ours.mjs.
import { writeFileSync } from 'node:fs';
import { once, residentBytes, useOneCore } from '../index/measure.mjs';
import { readCodes } from './files.mjs';
import { optionalPackage } from './packages.mjs';

const [codesFile, queriesFile, distance, out] = process.argv.slice(2);
const CHUNK = 2048;
const BLOCKS = [13, 13, 13, 13, 12];

const found = optionalPackage('@duckdb/node-api');
if (found === undefined || Number(distance) !== 3) {
  console.log(JSON.stringify({ absent: 'npm package @duckdb/node-api' }));
  process.exit();
}
const { DuckDBInstance, DuckDBDataChunk, UBIGINT } = found.api;

/** The masks of all choices of two blocks. */
function masks() {
  let above = 64;
  const blocks = BLOCKS.map((width) => {
    above -= width;
    return ((1n << BigInt(width)) - 1n) << BigInt(above);
  });
  return blocks.flatMap((a, i) => blocks.slice(i + 1).map((b) => a | b));
}

useOneCore();
const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();

async function load(table, file) {
  await connection.run(`CREATE TABLE ${table} (id UBIGINT, h UBIGINT)`);
  const codes = readCodes(file);
  const appender = await connection.createAppender(table);
  for (let at = 0; at < codes.length; at += CHUNK) {
    const part = Array.from(codes.subarray(at, at + CHUNK));
    const chunk = DuckDBDataChunk.create([UBIGINT, UBIGINT], part.length);
    chunk.setColumns([part.map((_, i) => BigInt(at + i)), part]);
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

/** Pairs of rows of two tables that agree on some mask; each once. */
function joinOf(left, right, condition) {
  return masks()
    .map(
      (mask) =>
        `SELECT a.id AS first, b.id AS second, bit_count(xor(a.h, b.h))::UTINYINT AS d FROM ${left} a JOIN ${right} b
         ON (a.h & ${mask}::UBIGINT) = (b.h & ${mask}::UBIGINT)
         WHERE ${condition} AND bit_count(xor(a.h, b.h)) <= ${distance}`,
    )
    .join('\nUNION\n');
}

async function write(name, sql) {
  await connection.run('DROP TABLE IF EXISTS results');
  const time = await once(() => connection.run(`CREATE TABLE results AS ${sql}`));
  const columns = await (await connection.runAndReadAll('SELECT first, second, d FROM results')).getColumns();
  const triples = new Uint32Array(3 * (columns[0]?.length ?? 0));
  for (const [c, column] of columns.entries()) {
    for (let i = 0; i < column.length; i++) triples[3 * i + c] = Number(column[i]);
  }
  writeFileSync(`${out}.${name}`, triples);
  return time.cpu;
}

const before = residentBytes();
const loading = await once(() => load('codes', codesFile));
const bytes = residentBytes() - before;
await load('queries', queriesFile);
const query = await write('matches', joinOf('queries', 'codes', 'true'));
const join = await write('pairs', joinOf('codes', 'codes', 'a.id < b.id'));
console.log(JSON.stringify({ load: loading.cpu, query, join, bytes, version: found.version }));
