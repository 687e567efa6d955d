/**
 * Lists of query parameter names: `name`, `name*` (every name that starts so), each with an optional
 * `@host` that limits it to a host and its subdomains. Names are compared without regard to ASCII case.
 */

interface Rule {
  readonly name: string;
  readonly host: string | undefined;
}

function parseRule(entry: string): Rule {
  const at = entry.lastIndexOf('@');
  if (at < 0) return { name: entry.toLowerCase(), host: undefined };
  return { name: entry.slice(0, at).toLowerCase(), host: entry.slice(at + 1).toLowerCase() };
}

function hostMatches(host: string, rule: Rule): boolean {
  return rule.host === undefined || host === rule.host || host.endsWith(`.${rule.host}`);
}

/** A compiled list; `has` costs one look-up and one comparison for each prefix entry. */
export class ParameterList {
  readonly #exact = new Map<string, Rule[]>();
  readonly #prefixes: Rule[] = [];

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const rule = parseRule(entry);
      if (rule.name.endsWith('*')) {
        this.#prefixes.push({ ...rule, name: rule.name.slice(0, -1) });
      } else {
        const rules = this.#exact.get(rule.name);
        if (rules === undefined) this.#exact.set(rule.name, [rule]);
        else rules.push(rule);
      }
    }
  }

  /** Whether the list names this parameter on this host. */
  has(name: string, host: string): boolean {
    const lower = name.toLowerCase();
    const matches = (rule: Rule) => hostMatches(host, rule);
    if (this.#exact.get(lower)?.some(matches)) return true;
    return this.#prefixes.some((rule) => lower.startsWith(rule.name) && matches(rule));
  }
}
