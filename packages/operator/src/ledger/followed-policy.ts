import type { Ledger } from '@terrain/api';
import { isSamePolicy, type PolicyTexts } from '#policy/policy.ts';
import type { LedgerChange } from './transition.ts';

type PolicyChange = Extract<LedgerChange, { kind: 'policy' }>;

/** The policy people have written, as far as this process has been told of it. */
export class FollowedPolicy {
  readonly #ready = Promise.withResolvers<void>();
  #isFollowed = false;
  #change: PolicyChange | undefined;

  constructor() {
    // Who does not wait for it does not care.
    this.#ready.promise.catch(() => undefined);
  }

  /** Resolves when it is in force for the first time. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** It is in force, or there is none. */
  follow(): void {
    this.#isFollowed = true;
    this.#ready.resolve();
  }

  close(error: Error): void {
    this.#ready.reject(error);
  }

  get isFollowed(): boolean {
    return this.#isFollowed;
  }

  /** These values are to be in force; undefined when the ledger says so already. */
  told(texts: PolicyTexts, resourceVersion: string, ledger: Ledger | undefined): PolicyChange | undefined {
    this.#change = { kind: 'policy', texts, resourceVersion };
    const isKnown = ledger?.policyResourceVersion === resourceVersion && isSamePolicy(ledger.policy, texts);
    return isKnown ? undefined : this.#change;
  }

  /** Values that somebody wrote into the ledger, and not into the policy it says they come from, never decide about an admission. */
  repairOf({ policy, policyResourceVersion }: Ledger): readonly LedgerChange[] {
    const change = this.#change;
    if (change === undefined || change.resourceVersion !== policyResourceVersion) return [];
    return isSamePolicy(change.texts, policy) ? [] : [change];
  }
}
