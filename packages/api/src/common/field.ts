import { Type } from '#schema/type.ts';
import { bounds } from './bounds.ts';
import { durationPattern } from './duration.ts';
import { type Rule, rules } from './rule.ts';

/** A value Kubernetes calls a quantity: `24Gi`, `500m`, `2`. */
export type Quantity = string | number;

type Extra = { readonly default?: unknown; readonly rules?: readonly Rule[] };

function extras({ default: value, rules: list }: Extra): Record<string, unknown> {
  return { ...(value === undefined ? {} : { default: value }), ...(list === undefined ? {} : rules(...list)) };
}

/** One of a fixed set of words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words, description: string, extra: Extra = {}) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], description, ...extras(extra) });
}

/** Free text with a length limit; the limit also keeps the cost of CEL rules estimable. */
export function text(maxLength: number, description: string, extra: Extra & { minLength?: number; pattern?: string } = {}) {
  const { minLength, pattern, ...rest } = extra;
  return Type.String({
    maxLength,
    ...(minLength === undefined ? {} : { minLength }),
    ...(pattern === undefined ? {} : { pattern }),
    description,
    ...extras(rest),
  });
}

/** A DNS label: usable as an object name, a host name and a label value. */
export function dnsLabel(description: string) {
  return text(bounds.nameLength, description, { minLength: 1, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' });
}

/** The name of an object that exists elsewhere. Dots are legal in most object names. */
export function objectName(description: string) {
  return text(bounds.nameLength, description, { minLength: 1, pattern: '^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$' });
}

/** The name of an object that may be left empty to mean a default. */
export function objectNameOrEmpty(description: string) {
  return text(bounds.nameLength, description, { pattern: '^([a-z0-9]([-.a-z0-9]*[a-z0-9])?)?$' });
}

/** Text that is copied into a label value. */
export function labelValue(description: string, extra: { readonly minLength?: number } = {}) {
  return text(bounds.nameLength, description, { ...extra, pattern: '^([A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?)?$' });
}

/** A switch. */
export function flag(description: string, extra: { readonly default?: boolean } = {}) {
  return Type.Boolean({ description, ...extras(extra) });
}

/** A whole number that is never negative. */
export function count(description: string, extra: { readonly minimum?: number; readonly maximum?: number } = {}) {
  return Type.Integer({ format: 'int64', minimum: 0, ...extra, description });
}

/** A TCP or UDP port. */
export function port(description: string) {
  return Type.Integer({ format: 'int32', minimum: 1, maximum: 65535, description });
}

/** An instant, as the API server writes them. */
export function instant(description: string) {
  return Type.String({ format: 'date-time', description });
}

/** A quantity above zero, such as `24Gi`, `500m` or `2`. `field` names it in the refusal. */
export function positiveQuantity(field: string, description: string, extra: { readonly default?: string } = {}) {
  return Type.Unsafe<Quantity>({
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
    maxLength: bounds.quantityLength,
    description,
    ...extras(extra),
    ...rules({
      rule: "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
      message: `${field} must be a quantity above zero; write a number with an optional unit, such as 500m, 2 or 24Gi`,
    }),
  });
}

/** A duration above zero, such as `90s`, `30m` or `1h30m`. `field` names it in the refusal. */
export function positiveDuration(field: string, description: string, extra: { readonly default?: string } = {}) {
  return Type.String({
    minLength: 2,
    maxLength: bounds.durationLength,
    pattern: durationPattern,
    description,
    ...extras(extra),
    ...rules({
      rule: "duration(self) > duration('0s')",
      message: `${field} must be longer than zero; write a duration such as 90s, 30m or 2h`,
    }),
  });
}

/** An address with its prefix length, such as `10.10.0.161/24`. */
export function addressWithPrefix(field: string, description: string) {
  return Type.String({
    maxLength: bounds.addressLength,
    description,
    ...rules({
      rule: 'isCIDR(self)',
      message: `${field} must be an IP address with its prefix length, such as 10.10.0.161/24`,
    }),
  });
}

/** A network in CIDR notation, such as `10.10.0.0/24`. */
export function networkCidr(field: string, description: string) {
  return Type.String({
    maxLength: bounds.addressLength,
    description,
    ...rules({ rule: 'isCIDR(self)', message: `${field} must be a network in CIDR notation, such as 10.10.0.0/24` }),
  });
}

/** An address without prefix length, such as `10.10.0.1`. */
export function address(field: string, description: string) {
  return Type.String({
    maxLength: bounds.addressLength,
    description,
    ...rules({
      rule: 'isIP(self)',
      message: `${field} must be an IP address without prefix length, such as 10.10.0.1`,
    }),
  });
}
