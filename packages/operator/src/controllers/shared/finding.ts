/** What one condition says, for the controllers that judge their object part by part. */
export type Finding<Reason extends string> = {
  readonly status: 'True' | 'False';
  readonly reason: Reason;
  readonly message: string;
  /** Only a person can help. */
  readonly isStuck?: true;
};

export interface Findings<Reason extends string> {
  readonly yes: (reason: Reason, message: string) => Finding<Reason>;
  readonly no: (reason: Reason, message: string) => Finding<Reason>;
  /** Nothing changes until a person does something. */
  readonly stuck: (reason: Reason, message: string) => Finding<Reason>;
}

/** The three kinds of findings, with the reasons of one kind of objects. */
export const findingsOf = <Reason extends string>(): Findings<Reason> => ({
  yes: (reason, message) => ({ status: 'True', reason, message }),
  no: (reason, message) => ({ status: 'False', reason, message }),
  stuck: (reason, message) => ({ status: 'False', reason, message, isStuck: true }),
});
