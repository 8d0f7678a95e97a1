import { bounds } from './bounds.ts';

/**
 * A CEL rule the API server judges on every create and update.
 *
 * `message` is what a person reads when the object is refused: what is wrong, in which field, and what to do about it.
 */
export type Rule = {
  readonly rule: string;
  readonly message: string;
  /** Computes a message that names the offender; `message` remains the fallback when it fails. */
  readonly messageExpression?: string;
  /** The field to blame, relative to the schema the rule sits on, such as `.url`. */
  readonly fieldPath?: string;
};

/** For kinds that others refer to by name: a name longer than such a reference would be out of reach. */
export const referableName: Rule = {
  rule: `self.metadata.name.size() <= ${bounds.nameLength}`,
  message: `metadata.name must have at most ${bounds.nameLength} characters, because others refer to this object by its name; choose a shorter one`,
};

/** The schema keyword that carries CEL rules; spread it into a TypeBox options object. */
export function rules(...list: readonly Rule[]): { 'x-kubernetes-validations': readonly Rule[] } {
  return { 'x-kubernetes-validations': list };
}
