/** What an object's status says about the spec it has now: whether to go on waiting for it. */
export type Verdict =
  /** What the spec names is there. */
  | { readonly kind: 'ready' }
  /** Nothing more happens until a person does something. */
  | { readonly kind: 'gaveUp'; readonly message: string }
  | { readonly kind: 'waiting'; readonly message: string };
