/** Paths: dot segments of any URL; session ids, index files and slashes at the end of http(s) URLs. */
import type { UrlPolicySettings } from './policy.ts';

/** `;jsessionid=...` and its like, up to the next parameter or segment. */
const SESSION_PARAMETER = /^(?:jsessionid|phpsessid|cfid|cftoken|sid)=/i;
/** A cookieless ASP.NET segment: (S(...)), (A(...)F(...)). */
const ASP_SEGMENT = /^\((?:[A-Za-z]\([^()]*\))+\)$/;
const DRIVE = /^[A-Za-z]:$/;
const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;

/**
 * Dot segments resolved, of a path that starts with `/`. The URL parser has done it, but some versions leave
 * one beside certain characters, and dropping a session id makes new ones. `..` does not
 * leave the drive of a file URL (`/C:/`).
 */
export function withoutDotSegments(path: string, isFile = false): string {
  if (!DOT_SEGMENT.test(path)) return path;
  const segments = path.split('/');
  const out: string[] = [];
  for (const [i, segment] of segments.entries()) {
    const isDots = i > 0 && (segment === '.' || segment === '..');
    if (!isDots) {
      out.push(segment);
      continue;
    }
    const isDrive = isFile && out.length === 2 && DRIVE.test(out[1]);
    if (segment === '..' && out.length > 1 && !isDrive) out.pop();
    if (i === segments.length - 1) out.push('');
  }
  return out.join('/');
}

function withoutSessionParameters(segment: string): string {
  const [head, ...parameters] = segment.split(';');
  return [head, ...parameters.filter((parameter) => !SESSION_PARAMETER.test(parameter))].join(';');
}

function withoutSessionIds(path: string): string {
  if (!path.includes(';') && !path.includes('(')) return path;
  const segments = path.split('/').map((s) => (s.includes(';') ? withoutSessionParameters(s) : s));
  const last = segments.length - 1;
  // What was `/..;jsessionid=1/` is a dot segment now.
  return withoutDotSegments(segments.filter((s, i) => i === last || !ASP_SEGMENT.test(s)).join('/'));
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
