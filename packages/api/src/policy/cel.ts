/** Small pieces of CEL that several policies use. Each returns an expression; arguments are expressions, not values. */
import { defaultImageNamespace, policyKeys } from '#ledger/layout.ts';

/** A CEL string literal. */
export const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A CEL list of string literals. */
export const quotedList = (values: readonly string[]): string => `[${values.map(quoted).join(', ')}]`;

/** The conjunction of conditions, without those that are always true. */
export const allOf = (...conditions: readonly string[]): string =>
  conditions.filter((condition) => condition !== 'true').join(' && ');

/** An optional field of `of`, or the empty string. */
export const orEmpty = (of: string, field: string): string => `(has(${of}.${field}) ? ${of}.${field} : '')`;

/** Whether an optional text field is the same in both. */
export const sameField = (a: string, b: string, field: string): string => `${orEmpty(a, field)} == ${orEmpty(b, field)}`;

/**
 * A sentence about the first of a list of offenders, with the number of the others; empty for an empty list, so that it can be
 * computed for accepted objects too.
 */
export const aboutFirst = (list: string, sentence: (first: string) => string): string =>
  `${list}.size() == 0 ? '' : ${sentence(`${list}[0]`)} + (${list}.size() == 1 ? '' : ' (and ' + string(${list}.size() - 1) + ' more)')`;

/** A value of the sync policy in force, or the fallback. `params` is the ledger. */
export const inForce = (key: string, fallback: string): string =>
  `(has(params.data) && ${quoted(key)} in params.data && params.data[${quoted(key)}] != '' ? params.data[${quoted(key)}] : ${quoted(fallback)})`;

/** The namespace of the images that Workspaces refer to. */
export const imageNamespace: string = inForce(policyKeys.imageNamespace, defaultImageNamespace);

/** True for everybody but the operator. */
export const notTheOperator = (operatorUser: string): string => `request.userInfo.username != ${quoted(operatorUser)}`;

/** True when the object's namespace is being deleted. */
export const namespaceIsTerminating = 'has(namespaceObject.metadata.deletionTimestamp)';
