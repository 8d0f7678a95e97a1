import { notes } from '../marks.ts';
import type { Stored } from '../objects.ts';
import type { Rule, Scenario } from './scenario.ts';
import { parseSwitches, type Switches, type SwitchName, switchTextOf } from './switches.ts';

/**
 * The switches that hold for an object: rules of the scenario in order, then the source's address, then the object's own annotation; a later
 * one overrides an earlier one of the same name.
 */
export function switchesOf(
  scenario: Scenario,
  object: Stored,
  url = '',
): { readonly switches: Switches; readonly problems: readonly string[] } {
  const all = new Map<SwitchName, string>();
  for (const rule of scenario.rules)
    if (matches(rule, object, url)) for (const [name, value] of rule.switches) all.set(name, value);
  const text = [switchTextOf(url), object.metadata.annotations?.[notes.switches] ?? ''].join(';');
  const { switches, problems } = parseSwitches(text);
  for (const [name, value] of switches) all.set(name, value);
  return { switches: all, problems };
}

function matches(rule: Rule, object: Stored, url: string): boolean {
  return (
    isLike(rule.namespace, object.metadata.namespace ?? '') && isLike(rule.name, object.metadata.name) && isLike(rule.url, url)
  );
}

function isLike(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  const expression = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${expression.join('.*')}$`, 's').test(text);
}
