/**
 * As the function, which has to be pure; what it made of a part of a spec is kept for as long as that part is, and made anew for other arguments.
 *
 * A workspace is looked at dozens of times while it stands up, and what it asks for stays the same.
 */
export function remembered<Part extends object, Rest extends readonly unknown[], Made>(
  make: (part: Part, ...rest: Rest) => Made,
): (part: Part, ...rest: Rest) => Made {
  const known = new WeakMap<Part, { readonly rest: Rest; readonly made: Made }>();
  return (part, ...rest) => {
    const found = known.get(part);
    if (found?.rest.every((argument, index) => argument === rest[index]) === true) return found.made;
    const made = make(part, ...rest);
    known.set(part, { rest, made });
    return made;
  };
}
