/**
 * Questions to the API server's own authorizer about the person who sends the request.
 *
 * A question costs a third of what one expression may spend, so one question must do for a whole list of names: for the name where
 * all are the same, else for all objects of that kind in the namespace.
 */
import { quoted } from './cel.ts';

/** A right on objects of one kind in one namespace; `namespace` is CEL. */
export type Right = {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
};

const question = ({ group, resource, namespace }: Right) =>
  `authorizer.group(${quoted(group)}).resource(${quoted(resource)}).namespace(${namespace})`;

/** CEL: whether the requester has the right, whatever the object's name. */
export const isAllowed = (right: Right): string => `${question(right)}.check(${quoted(right.verb)}).allowed()`;

/** CEL: whether the requester has the right on the object of that name. */
export const isAllowedOn = (right: Right, name: string): string =>
  `${question(right)}.name(${name}).check(${quoted(right.verb)}).allowed()`;

const allTheSame = (names: string) => `${names}.all(n, n == ${names}[0])`;

/** CEL: whether the requester has the right on every name in a list. True for an empty list, without asking. */
export const isAllowedOnAll = (right: Right, names: string): string =>
  `${names}.size() == 0 || (${allTheSame(names)} ? ${isAllowedOn(right, `${names}[0]`)} : ${isAllowed(right)})`;

/** CEL for the namespace of a right that is needed in all of them. */
export const everyNamespace = quoted('');

/** CEL: which objects the right is asked for, for people: one by name, or all of a kind in the namespace. */
export function namedObjects(kind: string, namespace: string, names: string): string {
  const isEverywhere = namespace === everyNamespace;
  const one = isEverywhere ? `'${kind} ' + ${names}[0] + ' in every namespace'` : `'${kind} ' + ${namespace} + '/' + ${names}[0]`;
  const where = isEverywhere ? `'every namespace'` : `'namespace ' + ${namespace}`;
  return `(${names}.size() == 0 ? '' : ${allTheSame(names)} ? ${one} : 'all ${kind}s in ' + ${where} + ' (more than one is named)')`;
}
