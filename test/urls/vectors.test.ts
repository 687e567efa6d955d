/** Published vectors, and f(f(x)) = f(x) over them, changed at random and made of pieces. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeUrl, tryNormalizeUrl } from '../../lib/urls/normalize.ts';
import { type UrlPolicy, urlPolicy } from '../../lib/urls/policy.ts';
import { type Difference, PATH_DOTS, REASONS, URLCANON, WHATWG } from './differences.ts';

interface WhatwgVector {
  readonly input: string;
  readonly base: string | null;
  readonly href: string;
  readonly username: string;
  readonly password: string;
  readonly failure?: boolean;
}

function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/urls/${name}.json`, import.meta.url), 'utf8')) as T;
}

const whatwg = vectors<(WhatwgVector | string)[]>('wpt-urltestdata').filter((v) => typeof v === 'object');
const precise = vectors<Record<string, string>>('urlcanon-semantic_precise');
const idempotence = vectors<string[]>('urlcanon-idempotence');
const pathDots = vectors<Record<'special' | 'nonspecial', Record<string, string>>>('urlcanon-path_dots');

/** The inputs of the urlcanon vectors are bytes, one a character: UTF-8 where they are. */
function ofBytes(text: string): string {
  if (/[^\0-\xff]/.test(text)) return text;
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\ufffd') ? text : decoded;
}

function find(table: readonly Difference[], input: string, base?: string | null): Difference | undefined {
  return table.find((entry) => entry.input === input && entry.base === (base ?? undefined));
}

/** Checks a key against its vector or the difference listed for it; true where one is listed. */
function check(difference: Difference | undefined, key: string | undefined, expected: string): boolean {
  // What depends on the age of the parser may also be as the vector says.
  if (difference?.reason.startsWith('parser') && key === expected) return true;
  expect(key).toBe(difference === undefined ? expected : difference.key);
  expect(difference?.key).not.toBe(expected);
  return difference !== undefined;
}

describe('vectors', () => {
  test('WHATWG: the key is the href without userinfo and fragment, but for the listed differences', () => {
    let listed = 0;
    for (const { input, base, href, username, password, failure } of whatwg) {
      const key = tryNormalizeUrl(input, 'safe', base ?? undefined);
      if (failure) {
        expect(key, input).toBeUndefined();
        continue;
      }
      const whole = href.split('#', 1)[0];
      const expected = username || password ? whole.replace(/\/\/[^/]*@/, '//') : whole;
      if (check(find(WHATWG, input, base), key, expected)) listed++;
    }
    expect(whatwg.length).toBeGreaterThan(800);
    expect(listed).toBe(WHATWG.length);
  });

  test('urlcanon semantic_precise, but for the listed differences', () => {
    const policy = urlPolicy({ fragment: 'keep', sortQuery: true });
    let listed = 0;
    for (const [input, expected] of Object.entries(precise)) {
      if (check(find(URLCANON, input), tryNormalizeUrl(ofBytes(input), policy), expected)) listed++;
    }
    expect(listed).toBe(URLCANON.length);
  });

  test('urlcanon path_dots, but for the listed differences', () => {
    let listed = 0;
    for (const [prefix, table] of [
      ['http://h', pathDots.special],
      ['foo://h', pathDots.nonspecial],
    ] as const) {
      for (const [path, expected] of Object.entries(table)) {
        const input = prefix + path;
        if (check(find(PATH_DOTS, input), tryNormalizeUrl(input), prefix + expected)) listed++;
      }
    }
    expect(listed).toBe(PATH_DOTS.length);
  });
});

const policies = [
  urlPolicy('safe'),
  urlPolicy('crawl'),
  urlPolicy('aggressive'),
  urlPolicy({ fragment: 'keep' }),
  urlPolicy({ extends: 'aggressive', fragment: 'hashbang', dropParameters: ['p*', 'q@example.com'] }),
  urlPolicy({ indexFiles: ['index.html', 'a'], stripTrailingSlash: true }),
  urlPolicy({ stripSessionIds: true, stripWww: true }),
];

/** Runs of each random test; NEARDUP_FUZZ_RUNS asks for more. */
const RUNS = Number(process.env.NEARDUP_FUZZ_RUNS ?? 4000);

/** Any combination of the switches of a policy. */
const anyPolicy = fc
  .record({
    fragment: fc.constantFrom('drop', 'hashbang', 'keep'),
    sortQuery: fc.boolean(),
    dropEmptyParameters: fc.boolean(),
    dropEmptyValues: fc.boolean(),
    stripTracking: fc.boolean(),
    dropParameters: fc.subarray(['p*', 'q@example.com', '1']),
    keepParameters: fc.subarray(['a', 'utm_source', '*@1.com']),
    stripSessionIds: fc.boolean(),
    indexFiles: fc.subarray(['index.html', 'a', '..;x', 'c:']),
    stripWww: fc.boolean(),
    stripTrailingSlash: fc.boolean(),
  })
  .map(urlPolicy);

function expectStable(input: string, base?: string, under: readonly UrlPolicy[] = policies): void {
  for (const policy of under) {
    const key = tryNormalizeUrl(input, policy, base);
    if (key === undefined) continue;
    expect(normalizeUrl(key, policy), `${policy.text} of ${JSON.stringify(input)}`).toBe(key);
    expect(key).toMatch(/^[!-~]+$/);
  }
}

describe('f(f(x)) = f(x)', () => {
  const known = [
    ...whatwg.map(({ input }) => input),
    ...Object.keys(precise).map(ofBytes),
    ...idempotence,
    ...Object.keys(pathDots.special).map((path) => `http://www.h${path}`),
    ...Object.keys(pathDots.nonspecial).map((path) => `foo:${path}`),
  ];

  test('for every vector', () => {
    for (const { input, base } of whatwg) expectStable(input, base ?? undefined);
    for (const input of known) expectStable(input);
  });

  test('for vectors changed at random', () => {
    const bits = [
      '%',
      '%2',
      '%2e',
      '%2E%2e',
      '%7E',
      '%2f',
      '/',
      '//',
      '..',
      '.',
      ';jsessionid=1',
      '(S(x))',
      'index.html',
      'www.',
      '?',
      '&',
      '=',
      '#',
      '#!',
      ' ',
      '\\',
      '@',
      ':',
      ':80',
      'é',
      '\ud800',
      '\0',
      '\t',
      '|',
      '[',
      'utm_source=1',
      'sid=',
      'C:',
      'C|',
      'WWW.',
      'www。',
      'ｗｗｗ.',
      'w\u00adww.',
      '.1',
      '0x7f.1',
      '09.',
      '1..',
      '4294967296.',
      'xn--',
      'ß.',
      'א',
      '[::1]',
      '%00',
      '%77ww.',
      '%31',
      '%61%3D',
      '+',
      ';',
      '%zz',
    ];
    // Half of the edits are near the start, where the host is.
    const place = fc.oneof(fc.nat(20), fc.nat(200));
    const edit = fc.tuple(place, fc.nat(6), fc.constantFrom(...bits));
    fc.assert(
      fc.property(
        fc.constantFrom(...known),
        fc.array(edit, { maxLength: 5 }),
        anyPolicy,
        (start, edits, any) => {
          let text = start;
          for (const [at, cut, insert] of edits) {
            const i = at % (text.length + 1);
            text = text.slice(0, i) + insert + text.slice(i + cut);
          }
          const under = [...policies, any];
          expectStable(text, undefined, under);
          expectStable(text, 'http://www.example.com/a/b;jsessionid=2/c?d#e', under);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('for URLs made of pieces', () => {
    const segment = fc.constantFrom(
      '',
      '.',
      '..',
      '%2e',
      'a',
      'A%41',
      'index.php',
      'Index.HTML',
      '..;jsessionid=1',
      ';sid=1;x',
      '(A(x)S(y))',
      '%',
      '%%36%31',
      'x;jsessionid=2;phpsessid=3',
      'C:',
      'default.asp',
    );
    const parameter = fc.constantFrom(
      '',
      '=',
      'a',
      'a=',
      'b=2',
      'a=%7e',
      'utm%5Fsource=x',
      'UTM_MEDIUM=y',
      'PHPSESSID=1',
      'sid=0123456789abcdef0123456789abcdef',
      'si=1',
      '%',
      'x=%2&y',
    );
    const host = fc.constantFrom(
      'www.www.example.com',
      'www.com',
      'EXAMPLE.com..',
      '1.2.3.4.',
      '09..',
      'www.youtube.com:443',
      '[::1]:80',
      'www.',
      '...',
      'www.0x7f.1..',
      'www.www.1..',
      'www.1.2.3.4',
      'www.256..',
      'ｗｗｗ。example。com',
      'www.xn--bcher-kva.1..',
      'www.0x..',
      'www.example.1e..',
    );
    const scheme = fc.constantFrom('http://', 'https://u:p@', 'ftp://', 'foo://', 'file://', 'HTTP:', 'foo:');
    const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 6 });
    fc.assert(
      fc.property(
        scheme,
        host,
        list(segment),
        fc.option(list(parameter)),
        anyPolicy,
        (s, h, path, query, any) => {
          const text = `${s}${h}/${path.join('/')}${query === null ? '' : `?${query.join('&')}`}#!f`;
          expectStable(text, undefined, [...policies, any]);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

test('the documentation gives every reason for a difference', () => {
  const page = readFileSync(new URL('../../docs/urls.md', import.meta.url), 'utf8');
  for (const reason of Object.values(REASONS)) expect(page).toContain(reason);
});
