// npm run bench:peers -- [count...]: the index and its peers on the same files, one thread, CPU time, k = 3; results
// of exact peers must be ours. Counts are 1e6 and 1e7 when not given. Writes bench/results/peers.json.
//
// Peers that are not there are skipped. To have them: `apt-get install python3-faiss`; `npm install --prefix
// bench/peers`, or that package.json installed elsewhere and the folder in NEARDUP_PEERS. 1e6 takes about 6
// minutes, most of them usearch's, which goes up to that; 1e7 takes 1 and 6 GiB.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { plantedQueries, uniformCodes } from './index/codes.mjs';
import { short } from './index/format.mjs';
import { loadBefore, machineLine } from './machine.mjs';
import { isEqual, readResults } from './peers/files.mjs';

const DISTANCE = 3;
const QUERIES = 100_000;
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1e6, 1e7];
const folder = mkdtempSync(join(tmpdir(), 'neardup-peers-'));
const path = (name) => join(folder, name);
/** Debian's own, which has Debian's packages. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
const script = (name) => new URL(`./peers/${name}`, import.meta.url).pathname;

/** What a script printed as JSON; {absent} where it cannot run. */
function run(command, args, absent) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return JSON.parse(stdout);
  if (absent !== undefined && /ModuleNotFoundError/.test(stderr ?? 'ModuleNotFoundError')) return { absent };
  throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

const node = (name, ...args) =>
  run(process.execPath, [
    '--expose-gc',
    script(name),
    path('codes'),
    path('queries'),
    String(DISTANCE),
    ...args,
  ]);

/** The peers of a count: whether their results are to be ours, of how many queries, and how they are run. */
function peersOf(count) {
  const faiss = (kind, out, used) =>
    run(
      python,
      [
        script('faiss_peer.py'),
        path('codes'),
        path('queries'),
        String(DISTANCE),
        kind,
        `${out}.matches`,
        String(used),
      ],
      'Debian package python3-faiss',
    );
  const flat = Math.round(Math.min(QUERIES, 2e9 / count));
  const hashed = Math.round(Math.min(QUERIES, 5e10 / count));
  return [
    { name: 'FAISS IndexBinaryFlat', exact: true, used: flat, run: (out) => faiss('flat', out, flat) },
    {
      name: 'FAISS IndexBinaryMultiHash 4x16',
      exact: true,
      used: hashed,
      run: (out) => faiss('multihash', out, hashed),
    },
    {
      name: 'DuckDB, 10 block joins',
      exact: true,
      used: QUERIES,
      run: (out) => node('duckdb_peer.mjs', out),
    },
    ...(count <= 1e6
      ? [
          {
            name: 'usearch, approximate',
            exact: false,
            used: QUERIES,
            run: (out) => node('usearch_peer.mjs', out),
          },
        ]
      : []),
  ];
}

/** The part of our matches that a peer has too. */
function recall(ours, theirs) {
  const found = new Set(theirs);
  return ours.reduce((sum, key) => sum + (found.has(key) ? 1 : 0), 0) / ours.length;
}

function compare(peer, out, matches, pairs) {
  const theirs = readResults(`${out}.matches`);
  const wanted = matches.subarray(0, matches.findLastIndex((key) => key >> 36n < BigInt(peer.used)) + 1);
  if (!peer.exact) return { recall: recall(wanted, theirs) };
  if (!isEqual(theirs, wanted)) throw new Error(`${peer.name}: its matches are not ours`);
  if (existsSync(`${out}.pairs`) && !isEqual(readResults(`${out}.pairs`), pairs)) {
    throw new Error(`${peer.name}: its pairs are not ours`);
  }
  return { recall: 1 };
}

/** Rates and, against `ours`, ratios: how many times as fast we are. */
function rowOf(name, count, used, figures, rest, ours) {
  const row = {
    count,
    name,
    bytes: figures.bytes === undefined ? undefined : figures.bytes / count,
    loadsPerSecond: count / figures.load,
    queriesPerSecond: used / figures.query,
    joinSeconds: figures.join,
    version: figures.version,
    ...rest,
  };
  if (ours === undefined) return row;
  return {
    ...row,
    queryRatio: ours.queriesPerSecond / row.queriesPerSecond,
    ...(row.joinSeconds !== undefined && { joinRatio: row.joinSeconds / ours.joinSeconds }),
  };
}

const TARGETS = [
  ['FAISS IndexBinaryMultiHash 4x16', 'queryRatio', 200],
  ['DuckDB, 10 block joins', 'joinRatio', 15],
];

function print(row) {
  console.log(
    [
      row.name.padEnd(34),
      row.bytes === undefined ? ''.padEnd(8) : `${row.bytes.toFixed(1)} B`.padEnd(8),
      `load ${short(row.loadsPerSecond)}/s`,
      `queries ${short(row.queriesPerSecond)}/s`,
      row.joinSeconds === undefined ? '' : `self-join ${short(row.joinSeconds)} s`,
      row.queryRatio === undefined ? '' : `ours / theirs ${row.queryRatio.toFixed(1)}`,
      row.joinRatio === undefined ? '' : `join ${row.joinRatio.toFixed(1)}`,
      row.recall === undefined || row.recall === 1 ? '' : `recall ${row.recall.toFixed(3)}`,
    ]
      .filter(Boolean)
      .join('  '),
  );
}

function measureCount(count) {
  console.log(
    `\n${count.toExponential()} fingerprints, ${QUERIES.toLocaleString('en')} queries, k = ${DISTANCE}`,
  );
  const codes = uniformCodes(count, 1);
  writeFileSync(path('codes'), codes);
  writeFileSync(path('queries'), plantedQueries(codes, QUERIES, 11).queries);
  const rows = [];
  const add = (row) => {
    rows.push(row);
    print(row);
  };
  for (const memory of ['compact', 'fast']) {
    add(rowOf(`neardup, ${memory}`, count, QUERIES, node('ours.mjs', memory, path(memory)), {}));
  }
  const [ours] = rows;
  const matches = readResults(path('compact.matches'));
  const pairs = readResults(path('compact.pairs'));
  if (!isEqual(readResults(path('fast.matches')), matches)) throw new Error('compact and fast differ');
  if (!isEqual(readResults(path('fast.pairs')), pairs)) throw new Error('compact and fast differ in pairs');
  for (const peer of peersOf(count)) {
    const out = path('peer');
    const figures = peer.run(out);
    if (figures.absent !== undefined) {
      console.log(`${peer.name}: skipped, without ${figures.absent}`);
      continue;
    }
    add(rowOf(peer.name, count, peer.used, figures, compare(peer, out, matches, pairs), ours));
    for (const name of ['matches', 'pairs']) rmSync(`${out}.${name}`, { force: true });
  }
  if (count === 1e7) {
    for (const row of rows) {
      const target = TARGETS.find(([name]) => name === row.name);
      if (target === undefined) continue;
      const [name, ratio, least] = target;
      Object.assign(row, { targetOf: ratio, target: least, met: row[ratio] >= least });
      console.log(`${name}, ${ratio}: >= ${least} ${row.met ? 'met' : 'SHORT'}`);
    }
  }
  return rows;
}

const file = new URL('./results/peers.json', import.meta.url);
const old = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).rows : [];
try {
  const rows = counts.flatMap(measureCount);
  const result = {
    machine: machineLine(),
    date: new Date().toISOString().slice(0, 10),
    loadBefore,
    loadAfter: loadavg()[0],
    rows: [...old.filter(({ count }) => !counts.includes(count)), ...rows].sort((a, b) => a.count - b.count),
  };
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
