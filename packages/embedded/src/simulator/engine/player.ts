import type { KindName } from '../kinds.ts';
import type { Stored } from '../objects.ts';
import type { PartName, Scenario } from '../scenario/scenario.ts';
import type { Time } from '../time.ts';
import type { Decision, Refusal } from './decision.ts';
import type { Reader } from './world.ts';

/** What a player gets beside the object: everything else it may use. */
export interface Scene {
  readonly read: Reader;
  readonly time: Time;
  readonly scenario: Scenario;
  readonly refusal: Refusal | undefined;
  /** Which attempt at an address this object is, counted from 1 over all objects seen. */
  readonly attemptAt: (url: string, uid: string) => number;
}

/** Plays the controller of one kind: gathers the view, lets the state machine decide. */
export interface Player {
  readonly part: PartName;
  readonly kind: KindName;
  /** Kinds it looks at beside its own. */
  readonly reads: readonly KindName[];
  readonly play: (object: Stored, scene: Scene) => Decision;
}

/** A player of objects of type T; the engine only ever hands it objects of its kind. */
export function playerOf<T extends Stored>(
  player: Omit<Player, 'play'> & { readonly play: (object: T, scene: Scene) => Decision },
): Player {
  return player as unknown as Player;
}
