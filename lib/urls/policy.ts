/**
 * URL policies: which differences between two URLs do not count. A policy has a canonical text, such as
 * `safe/1` or `safe/1?sortQuery=true`, that names its version; stored keys carry that text, and a change of
 * what a policy does is a new version.
 */
import { makeError } from '../errors.ts';
import { checkOptions, isArray, isObject, outOfRange, wrongType } from '../validate.ts';
import { ParameterList } from './parameters.ts';
import { TRACKING_PARAMETERS } from './tracking-params.ts';

/** The ready-made policies, from the most careful on. */
export type UrlPolicyName = 'safe' | 'crawl' | 'aggressive';

/** The switches of a policy. Everything from `sortQuery` on concerns http and https URLs only. */
export interface UrlPolicySettings {
  /** What becomes of the fragment: `hashbang` keeps it where it starts with `#!`. */
  readonly fragment: 'drop' | 'hashbang' | 'keep';
  /** Sort the query's parameters by name; those of one name stay in order. */
  readonly sortQuery: boolean;
  /** Drop parameters with neither name nor value, and a `?` with nothing after it. */
  readonly dropEmptyParameters: boolean;
  /** Drop `name=`; a name without `=` stays. */
  readonly dropEmptyValues: boolean;
  /** Drop the parameters of the shipped tracking list. */
  readonly stripTracking: boolean;
  /** Parameters to drop besides: `name`, `prefix*`, each also as `name@host` for a host and its subdomains. */
  readonly dropParameters: readonly string[];
  /** Parameters never to drop, in the same notation: exceptions to all of the above. */
  readonly keepParameters: readonly string[];
  /** Drop session ids from path and query: PHPSESSID, jsessionid, ASPSESSIONID..., CFID, sid of 32 characters. */
  readonly stripSessionIds: boolean;
  /** Drop the last path segment where it is one of these, whatever its case. */
  readonly indexFiles: readonly string[];
  /** Drop leading `www.` labels while two labels remain. */
  readonly stripWww: boolean;
  /** Drop slashes at the end of the path. */
  readonly stripTrailingSlash: boolean;
}

/** A policy's settings given as changes to a ready-made policy (`safe` when `extends` is not given). */
export interface UrlPolicyOptions extends Partial<UrlPolicySettings> {
  readonly extends?: UrlPolicyName;
}

/** A policy ready for use; make it once, use it for many URLs. */
export interface UrlPolicy {
  /** The canonical text: equal texts mean equal keys. */
  readonly text: string;
  /** The version of the rules. */
  readonly version: number;
  readonly settings: UrlPolicySettings;
  /** The compiled lists. */
  readonly dropped: ParameterList;
  readonly kept: ParameterList;
}

/** The version of the rules that this release applies. */
export const URL_POLICY_VERSION = 1;

/** The index files of the `aggressive` policy. */
export const INDEX_FILES: readonly string[] = [
  ...['html', 'htm', 'shtml', 'xhtml', 'php', 'asp', 'aspx', 'jsp', 'cfm', 'cgi'].map((e) => `index.${e}`),
  ...['html', 'htm', 'asp', 'aspx'].map((e) => `default.${e}`),
].sort();

const SAFE: UrlPolicySettings = {
  fragment: 'drop',
  sortQuery: false,
  dropEmptyParameters: false,
  dropEmptyValues: false,
  stripTracking: false,
  dropParameters: [],
  keepParameters: [],
  stripSessionIds: false,
  indexFiles: [],
  stripWww: false,
  stripTrailingSlash: false,
};
const CRAWL: UrlPolicySettings = {
  ...SAFE,
  sortQuery: true,
  dropEmptyParameters: true,
  stripTracking: true,
  stripSessionIds: true,
};
const AGGRESSIVE: UrlPolicySettings = {
  ...CRAWL,
  dropEmptyValues: true,
  indexFiles: INDEX_FILES,
  stripWww: true,
  stripTrailingSlash: true,
};
const PRESETS: Readonly<Record<UrlPolicyName, UrlPolicySettings>> = {
  safe: SAFE,
  crawl: CRAWL,
  aggressive: AGGRESSIVE,
};
const NAMES = Object.keys(PRESETS) as UrlPolicyName[];
const FRAGMENTS = ['drop', 'hashbang', 'keep'];
const KEYS = Object.keys(SAFE) as (keyof UrlPolicySettings)[];

function isName(value: unknown): value is UrlPolicyName {
  return NAMES.includes(value as UrlPolicyName);
}

function checkNames(name: string, value: unknown): readonly string[] {
  if (!isArray(value)) wrongType(name, 'an array of strings', value);
  const names = Array.from(value, (item, i) => {
    if (typeof item !== 'string') wrongType(`${name}[${i}]`, 'a string', item);
    if (!/^[^@]+(@[^@]+)?$/.test(item)) outOfRange(`${name}[${i}]`, 'a name or name@host', item);
    return item.toLowerCase();
  });
  return [...new Set(names)].sort();
}

function checkSetting(key: keyof UrlPolicySettings, value: unknown): string | boolean | readonly string[] {
  const name = `policy.${key}`;
  if (key === 'fragment') {
    if (typeof value !== 'string') wrongType(name, 'a string', value);
    if (!FRAGMENTS.includes(value)) outOfRange(name, FRAGMENTS.join(', '), value);
    return value;
  }
  if (Array.isArray(SAFE[key])) return checkNames(name, value);
  if (typeof value !== 'boolean') wrongType(name, 'a boolean', value);
  return value;
}

function settingsOf(options: UrlPolicyOptions): UrlPolicySettings {
  const { extends: from = 'safe', ...changes } = checkOptions('policy', options);
  if (!isName(from)) outOfRange('policy.extends', NAMES.join(', '), from);
  const settings: Record<string, unknown> = { ...PRESETS[from] };
  for (const [key, value] of Object.entries(changes)) {
    if (!KEYS.includes(key as keyof UrlPolicySettings)) outOfRange('a policy setting', KEYS.join(', '), key);
    if (value !== undefined) settings[key] = checkSetting(key as keyof UrlPolicySettings, value);
  }
  return settings as unknown as UrlPolicySettings;
}

function sameSetting(a: UrlPolicySettings, b: UrlPolicySettings, key: keyof UrlPolicySettings): boolean {
  const [left, right] = [a[key], b[key]];
  return Array.isArray(left)
    ? [...left].sort().join('\n') === [...(right as string[])].sort().join('\n')
    : left === right;
}

function textOf(settings: UrlPolicySettings): string {
  const preset = NAMES.find((name) => KEYS.every((key) => sameSetting(settings, PRESETS[name], key)));
  if (preset !== undefined) return `${preset}/${URL_POLICY_VERSION}`;
  const changes = new URLSearchParams();
  for (const key of [...KEYS].sort().filter((key) => !sameSetting(settings, SAFE, key))) {
    const value = settings[key];
    for (const item of Array.isArray(value) ? value : [value]) changes.append(key, String(item));
  }
  return `safe/${URL_POLICY_VERSION}?${changes}`;
}

function compile(settings: UrlPolicySettings): UrlPolicy {
  return {
    text: textOf(settings),
    version: URL_POLICY_VERSION,
    settings,
    dropped: new ParameterList([
      ...(settings.stripTracking ? TRACKING_PARAMETERS : []),
      ...settings.dropParameters,
    ]),
    kept: new ParameterList(settings.keepParameters),
  };
}

function optionsOfText(text: string): UrlPolicyOptions {
  const [, name, version, changes] = /^([a-z]+)(?:\/(\d{1,9})(?:\?(.*))?)?$/.exec(text) ?? [];
  if (!isName(name)) outOfRange('policy', `${NAMES.join(', ')}, or the text of a policy`, text);
  if (version !== undefined && Number(version) !== URL_POLICY_VERSION) {
    throw makeError(
      'ERR_NEARDUP_UNSUPPORTED',
      `URL policy ${text}: this release has version ${URL_POLICY_VERSION} of the policies`,
    );
  }
  const options: Record<string, unknown> = { extends: name };
  for (const [key, value] of new URLSearchParams(changes ?? '')) {
    const setting = SAFE[key as keyof UrlPolicySettings];
    if (Array.isArray(setting)) options[key] = [...((options[key] as string[]) ?? []), value];
    else options[key] = typeof setting === 'boolean' && value === 'true' ? true : value;
  }
  return options as UrlPolicyOptions;
}

const ready = new Map<string, UrlPolicy>(NAMES.map((name) => [name, compile(PRESETS[name])]));

/**
 * The policy of a name (`safe`, `crawl`, `aggressive`), of a canonical text (`safe/1?sortQuery=true`) or of
 * options. A policy is returned as it is. Throws ERR_NEARDUP_UNSUPPORTED for a version of another release.
 */
export function urlPolicy(policy: string | UrlPolicyOptions | UrlPolicy = 'safe'): UrlPolicy {
  if (typeof policy === 'string') return ready.get(policy) ?? compile(settingsOf(optionsOfText(policy)));
  if (!isObject(policy)) wrongType('policy', 'a name or an object', policy);
  if ('dropped' in policy) return policy;
  return compile(settingsOf(policy));
}
