/** The crawler of the examples, on a site served here: each page once, whatever its address and frame. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

interface Page {
  readonly id: number;
  readonly url: string;
  readonly fingerprint: string | undefined;
  readonly title: string;
  readonly text: string;
}

const example = new URL('../../examples/crawler-pipeline.mjs', import.meta.url);
const policies = readFileSync(new URL('../../examples/data/policies-demo.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as { group: string; text: string });
const groups = [...new Set(policies.map(({ group }) => group))];
const article = (i: number) => policies.find(({ group }) => group === groups[i])!.text.slice(0, 4000);

const escapeHtml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const frame = (title: string, body: string, footer: string) =>
  `<!doctype html><html><head><title>${escapeHtml(title)}</title><script>track(${JSON.stringify(footer)})</script></head>
<body><nav><a href="/">Home</a> <a href="/a">A</a> <a href="/b">B</a></nav>
<main><h1>${escapeHtml(title)}</h1>${body}</main><footer>${footer}</footer></body></html>`;
const paragraphs = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => `<p>${escapeHtml(line)}</p>`)
    .join('\n');

const links = `<ul>
  <li><a href="/a?utm_source=list">A, tracked</a><li><a href="a#part">A, a part</a><li><a href="/A/../a">A again</a>
  <li><a href="/print/a">A, for print</a><li><a href="/c?b=2&amp;a=1">C</a><li><a href="/c?a=1&b=2">C, sorted</a>
  <li><a href="/old">moved</a><li><a href="/away">moved away</a><li><a href="/gone">gone</a><li><a href="/file.pdf">file</a>
  <li><a href="/huge">huge</a><li><a href="/empty">empty</a><li><a href="/latin">latin</a><li><a href="/deep">deep</a>
  <li><a href="http://elsewhere.invalid/">other host</a><li><a href="mailto:a@b.c">mail</a></ul>`;

/** path -> status, headers, body; `frames` counts requests, so that no two answers have equal bytes. */
const site: Record<string, (frames: number) => [number, Record<string, string>, string | Buffer]> = {
  '/': (n) => [
    200,
    {},
    frame('Index', `<p>${escapeHtml(article(3).slice(0, 500))}</p>${links}`, `request ${n}`),
  ],
  '/a': (n) => [200, {}, frame('Policy A', paragraphs(article(0)), `request ${n}`)],
  '/print/a': (n) => [
    200,
    {},
    frame('Policy A', paragraphs(article(0)), `printed ${n} <a href="/trap">next</a>`),
  ],
  '/b': (n) => [200, {}, frame('Policy B', paragraphs(article(1)), `request ${n}`)],
  '/c': (n) => [200, {}, frame('Policy C', paragraphs(article(2)), `request ${n}`)],
  '/old': () => [301, { location: '/b' }, ''],
  '/away': () => [302, { location: 'http://127.0.0.1:9/' }, ''],
  '/file.pdf': () => [200, { 'content-type': 'application/pdf' }, '%PDF-1.7'],
  '/huge': () => [200, {}, `<p>${'word '.repeat(600_000)}`],
  '/empty': () => [200, {}, '<img src="a.png">'],
  '/latin': () => [
    200,
    { 'content-type': 'text/html; charset=iso-8859-2' },
    Buffer.from('<p>Za\xbf\xf3\xb3\xe6 g\xea\xb6l\xb1 ja\xbc\xf1', 'latin1'),
  ],
  '/deep': () => [200, {}, `${'<div>'.repeat(100_000)}At the bottom of it all`],
};

let server: Server;
let origin: string;
const requests: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname;
    requests.push(request.url!);
    const [status, headers, body] = site[path]?.(requests.length) ?? [404, {}, frame('Not found', '', '')];
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('stores each page once and counts what became of the others', async () => {
  const { crawl } = (await import(example.href)) as {
    crawl(start: string, options: object): Promise<Record<string, number>>;
  };
  const stored: Page[] = [];
  const duplicates: { url: string; of: number; distance: number }[] = [];
  const counters = await crawl(`${origin}/`, {
    store: (page: Page) => stored.push(page),
    duplicate: (drop: (typeof duplicates)[number]) => duplicates.push(drop),
  });

  const paths = (urls: string[]) => urls.map((url) => url.slice(origin.length)).sort();
  expect(paths(stored.map(({ url }) => url))).toEqual([
    '/',
    '/a',
    '/b',
    '/c?b=2&a=1',
    '/deep',
    '/empty',
    '/latin',
  ]);
  expect(duplicates.map(({ url, distance }) => [url, distance <= 3])).toEqual([[`${origin}/print/a`, true]]);
  expect(stored[duplicates[0]!.of]!.url).toBe(`${origin}/a`);
  expect(counters).toEqual({
    fetched: 9,
    // Gone, and the redirect to a port where nothing listens.
    failed: 2,
    notHtml: 1,
    tooLarge: 1,
    // The redirect to /b, which the navigation had led to.
    elsewhere: 1,
    unique: 7,
    duplicates: 1,
    urls: 13,
    repeatedUrls: counters.repeatedUrls,
  });
  expect(counters.repeatedUrls).toBeGreaterThan(10);
  // One request for each address, and one more where the redirect led; none for what the duplicate links to.
  expect(requests.length).toBe(14);
  expect(requests).not.toContain('/trap');

  const at = (path: string) => stored.find(({ url }) => url === origin + path)!;
  expect(at('/latin').text).toBe('Zażółć gęślą jaźń');
  expect(at('/deep').text).toBe('At the bottom of it all');
  expect(at('/empty').fingerprint).toBe(undefined);
  expect(at('/a').title).toBe('Policy A');
  expect(at('/a').text).not.toContain('track(');
});

it('runs as a command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'neardup-crawl-'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      fileURLToPath(example),
      `${origin}/`,
      folder,
    ]);
    expect(stdout).toContain(`${origin}/print/a is page`);
    expect(readdirSync(folder).length).toBe(7);
    const first = JSON.parse(readFileSync(join(folder, '0.json'), 'utf8')) as Page;
    expect(first.url).toBe(`${origin}/`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
