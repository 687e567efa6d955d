/** The query of an http(s) URL under a policy: which parameters stay, and in which order. */
import type { UrlPolicy } from './policy.ts';

/** Names that carry nothing but a session. */
const SESSION_NAMES = /^(?:phpsessid|jsessionid|cfid|cftoken|aspsessionid[a-z]{8})$/i;
/** Names that carry a session where the value looks like one. */
const SESSION_VALUE = /^(?:sid|sessionid|session_id)=[0-9a-z]{32}$/i;

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  return equals < 0 ? parameter : parameter.slice(0, equals);
}

function isEmptyValue(parameter: string): boolean {
  return parameter.length > 1 && parameter.indexOf('=') === parameter.length - 1;
}

function stays(parameter: string, host: string, policy: UrlPolicy): boolean {
  const { settings } = policy;
  const name = nameOf(parameter);
  if (policy.kept.has(name, host)) return true;
  if (settings.dropEmptyParameters && (parameter === '' || parameter === '=')) return false;
  if (settings.dropEmptyValues && isEmptyValue(parameter)) return false;
  if (settings.stripSessionIds && (SESSION_NAMES.test(name) || SESSION_VALUE.test(parameter))) return false;
  return !policy.dropped.has(name, host);
}

/**
 * `query` without its `?`, escapes already in their one form; undefined where there is none. Returns
 * undefined where nothing stays.
 */
export function normalizeQuery(
  query: string | undefined,
  host: string,
  policy: UrlPolicy,
): string | undefined {
  if (query === undefined) return undefined;
  const kept: { name: string; parameter: string }[] = [];
  for (const parameter of query.split('&')) {
    if (stays(parameter, host, policy)) kept.push({ name: nameOf(parameter), parameter });
  }
  if (kept.length === 0) return undefined;
  if (policy.settings.sortQuery) kept.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return kept.map(({ parameter }) => parameter).join('&');
}
