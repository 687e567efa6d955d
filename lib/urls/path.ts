/** The path of an http(s) URL under a policy: session ids, index files, slashes at the end. */
import type { UrlPolicySettings } from './policy.ts';

/** `;jsessionid=...` and its like, up to the next parameter or segment. */
const SESSION_PARAMETER = /^(?:jsessionid|phpsessid|cfid|cftoken|sid)=/i;
/** A cookieless ASP.NET segment: (S(...)), (A(...)F(...)). */
const ASP_SEGMENT = /^\((?:[A-Za-z]\([^()]*\))+\)$/;
const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;

function withoutSessionParameters(segment: string): string {
  const [head, ...parameters] = segment.split(';');
  return [head, ...parameters.filter((parameter) => !SESSION_PARAMETER.test(parameter))].join(';');
}

function withoutSessionIds(path: string): string {
  if (!path.includes(';') && !path.includes('(')) return path;
  const segments = path.split('/').map((s) => (s.includes(';') ? withoutSessionParameters(s) : s));
  const last = segments.length - 1;
  const edited = segments.filter((segment, i) => i === last || !ASP_SEGMENT.test(segment)).join('/');
  // `/..;jsessionid=1/` has become a dot segment: the parser resolves it.
  return DOT_SEGMENT.test(edited) ? new URL(`http://h${edited}`).pathname : edited;
}

function trimEnd(path: string, settings: UrlPolicySettings, indexFiles: ReadonlySet<string>): string {
  let end = path.length;
  for (;;) {
    const before = end;
    if (settings.stripTrailingSlash) while (end > 1 && path[end - 1] === '/') end--;
    const slash = path.lastIndexOf('/', end - 1);
    if (indexFiles.has(path.slice(slash + 1, end).toLowerCase())) end = slash + 1;
    if (end === before) return path.slice(0, end);
  }
}

/** `path` starts with `/`; its escapes are already in their one form. */
export function normalizePath(path: string, settings: UrlPolicySettings): string {
  const plain = settings.stripSessionIds ? withoutSessionIds(path) : path;
  if (!settings.stripTrailingSlash && settings.indexFiles.length === 0) return plain;
  return trimEnd(plain, settings, new Set(settings.indexFiles));
}
