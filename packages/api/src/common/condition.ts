import type { Static } from 'typebox';
import { Type } from '#schema/type.ts';
import { bounds } from './bounds.ts';
import { count, instant, oneOf, text } from './field.ts';
import { mapList } from './list.ts';

const condition = Type.Object(
  {
    type: text(316, 'The condition, such as Ready.', {
      pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    }),
    status: oneOf(['True', 'False', 'Unknown'], 'Whether the condition holds.'),
    observedGeneration: Type.Optional(count('The generation of the object this was concluded from.')),
    lastTransitionTime: instant('When the status of this condition last changed.'),
    reason: text(1024, 'One word for why; the reference explains each one and says what to do.', {
      minLength: 1,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
    message: text(bounds.messageLength, 'A sentence for people: what is the case, why, and what to do.'),
  },
  { description: 'One aspect of the state of the object.' },
);

/** One aspect of an object's state, in the shape of metav1.Condition. */
export type Condition = Static<typeof condition>;

const conditions = mapList(condition, ['type'], 'All aspects of the state, each always present; Ready sums them up.', {
  maxItems: 16,
});

/** The status fields every kind has. `phases` are for people: derived from the conditions, never read back. */
export function commonStatus<const Phases extends readonly [string, ...string[]]>(phases: Phases, phaseDescription: string) {
  return {
    observedGeneration: Type.Optional(count('The generation of the spec this status describes.')),
    phase: Type.Optional(oneOf(phases, phaseDescription)),
    message: Type.Optional(
      text(bounds.messageLength, 'What is going on, in one sentence, and what to do if something is wrong.'),
    ),
    conditions: Type.Optional(conditions),
  };
}
