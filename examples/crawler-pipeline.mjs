// A small crawler that stores each page once: URL seen? -> fetch -> extract and weigh -> fingerprint ->
// near-duplicate? -> store. Stays on the host it begins on.
//
//     node examples/crawler-pipeline.mjs https://example.com/ pages/
//
// What a real crawler needs besides, and is left out here: robots.txt, pauses between requests, retries.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createHtmlFingerprinter, extractLinks, extractPage } from '../dist/html/index.mjs';
import { HammingIndex, toHex, UrlSet } from '../dist/index.mjs';

const MAX_BYTES = 2 * 1024 * 1024;
const TIMEOUT = 10_000;

/** The body of a response, or undefined where it is longer than MAX_BYTES. */
async function readBody(response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Fetches a page: `{url, body, contentType}` with the address after redirects, or `{refused: reason}`. */
async function fetchPage(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) });
    const contentType = response.headers.get('content-type') ?? '';
    const isPage = response.ok && /^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType);
    if (!isPage) {
      await response.body?.cancel();
      return { refused: response.ok ? 'notHtml' : 'failed' };
    }
    const body = await readBody(response);
    return body === undefined ? { refused: 'tooLarge' } : { url: response.url, body, contentType };
  } catch {
    return { refused: 'failed' };
  }
}

/**
 * Crawls from `start`. Calls store({id, url, fingerprint, text}) for each unique page, and
 * duplicate({url, of, distance}) for each page that is near one stored before. Returns the counters.
 */
export async function crawl(start, { maxPages = 1000, store, duplicate = () => undefined }) {
  const counters = { fetched: 0, failed: 0, notHtml: 0, tooLarge: 0, elsewhere: 0, unique: 0, duplicates: 0 };
  const { host } = new URL(start);
  const seen = new UrlSet({ policy: 'crawl' });
  const index = new HammingIndex({ maxDistance: 3 });
  const fingerprinter = createHtmlFingerprinter({ maxBytes: MAX_BYTES });
  const queue = [start];
  seen.addIfNew(start);

  const visit = async (address) => {
    const page = await fetchPage(address);
    if (page.refused !== undefined) {
      counters[page.refused]++;
      return;
    }
    counters.fetched++;
    const { url, body, contentType } = page;
    // A redirect may lead to a page of another host, or to one that has had its turn.
    const moved = url !== address;
    if (moved && (new URL(url).host !== host || !seen.addIfNew(url))) {
      counters.elsewhere++;
      return;
    }

    // A page without text has no fingerprint: nothing can be said of it, so it is kept.
    const fingerprint = fingerprinter.fingerprint(body, { contentType });
    const id = counters.unique;
    const { added, match } = fingerprint === undefined ? { added: true } : index.addIfNew(fingerprint, id);
    if (!added) {
      counters.duplicates++;
      duplicate({ url, of: match.id, distance: match.distance });
      return;
    }
    counters.unique++;
    const { title, text } = extractPage(body, { contentType });
    store({ id, url, fingerprint: fingerprint && toHex(fingerprint), title, text });

    // The links of duplicates are not followed: they lead where those of the first page do, or into a trap.
    for (const link of extractLinks(body, url, { contentType })) {
      if (new URL(link).host === host && seen.addIfNew(link)) queue.push(link);
    }
  };

  for (let next = 0; next < queue.length && next < maxPages; next++) await visit(queue[next]);
  const result = { ...counters, urls: seen.size, repeatedUrls: seen.counts.seen };
  index.close();
  seen.close();
  return result;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , start, folder] = process.argv;
  if (start === undefined || folder === undefined) {
    console.error('usage: node examples/crawler-pipeline.mjs URL FOLDER');
    process.exit(2);
  }
  mkdirSync(folder, { recursive: true });
  const counters = await crawl(start, {
    store: (page) => writeFileSync(join(folder, `${page.id}.json`), `${JSON.stringify(page)}\n`),
    duplicate: ({ url, of, distance }) => console.log(`${url} is page ${of} again (${distance} bits apart)`),
  });
  console.table(counters);
}
