const powers: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** The bytes of a storage quantity such as `24Gi`; undefined when it is none. */
export function bytesOf(quantity: string | number | undefined): number | undefined {
  const found = /^(\d+(?:\.\d*)?|\.\d+)([kMGTP]|[KMGTP]i)?$/.exec(String(quantity ?? '').trim());
  if (found === null) return undefined;
  return Math.ceil(Number(found[1]) * (powers[found[2] ?? ''] ?? 1));
}

/** As the API writes a size in binary units: `24Gi`, or plain bytes where no unit divides it. */
export function formatBinary(bytes: number): string {
  for (const unit of ['Pi', 'Ti', 'Gi', 'Mi', 'Ki']) {
    const power = powers[unit] ?? 1;
    if (bytes > 0 && bytes % power === 0) return `${bytes / power}${unit}`;
  }
  return String(bytes);
}
