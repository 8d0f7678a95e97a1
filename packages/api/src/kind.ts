import type { TSchema } from 'typebox';
import type { ConditionDoc, ReasonDoc } from '#common/glossary.ts';
import type { Rule } from '#common/rule.ts';

/** A column of `kubectl get`. Priority 1 shows with `-o wide` only. */
export type PrinterColumn = {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: 0 | 1;
};

/**
 * Everything there is to say about a kind, in one place: its TypeScript types, its CRD, its reference page and its part in the
 * roles and policies are all derived from this.
 */
export type KindDefinition<Spec extends TSchema = TSchema, Status extends TSchema = TSchema> = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly categories: readonly string[];
  /** What the kind is for, in a sentence or two; the first lines of `kubectl explain`. */
  readonly description: string;
  readonly spec: Spec;
  readonly status: Status;
  /** Rules that look at the whole object, such as its name. */
  readonly rules: readonly Rule[];
  readonly printerColumns: readonly PrinterColumn[];
  readonly conditions: readonly ConditionDoc[];
  readonly reasons: readonly ReasonDoc[];
};

/** Keeps the types of spec and status while checking the rest. */
export function defineKind<Spec extends TSchema, Status extends TSchema>(
  definition: KindDefinition<Spec, Status>,
): KindDefinition<Spec, Status> {
  return definition;
}

const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
};

const message: PrinterColumn = {
  name: 'Message',
  type: 'string',
  jsonPath: '.status.message',
  description: 'What is going on, in one sentence.',
  priority: 1,
};

/** The columns every kind shows: phase first, then the figures given, age, and with `-o wide` the message. */
export function columns(...figures: readonly PrinterColumn[]): readonly PrinterColumn[] {
  const phase: PrinterColumn = {
    name: 'Phase',
    type: 'string',
    jsonPath: '.status.phase',
    description: 'Where the object is in its life.',
  };
  return [phase, ...figures, age, message];
}
