/** Forms of which a sample is held. A kind with more of them has no form, and its texts are held as they are. */
const mostForms = 64;
/** Longer texts are rare, and as samples would take more room than they save. */
const longest = 32 * 1024;
/** Stands between pieces, of a text that has none of it. */
const separator = '\n';

/** The first text of its form. */
interface Sample {
  readonly id: string;
  readonly pieces: readonly string[];
  /** For each piece, the first place where the same stands. */
  readonly firsts: readonly number[];
}

/**
 * JSON texts that resemble each other, such as the objects of one kind, in a quarter of their size: of each only those pieces are held that differ
 * from the first text with as many of them, and of these only the first of several that are the same, in it as in the sample (names, UIDs and hashes
 * are told again and again). General compression makes less of them, at five times the cost.
 *
 * Guarantees: what was packed is unpacked as it was.
 * Assumptions: a text has no line breaks, as JSON.stringify makes none.
 */
export class TextPacker {
  readonly #byLength = new Map<number, Sample>();
  readonly #samples: Sample[] = [];

  pack(text: string): string {
    const pieces = text.length > longest ? [] : text.split('"');
    const sample = this.#byLength.get(pieces.length) ?? this.#addSample(pieces);
    if (sample === undefined) return separator + text;
    const held = [sample.id];
    let next = 0;
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at] as string;
      if (piece === expectedAt(at, sample, pieces)) continue;
      held.push((at - next).toString(36), piece);
      next = at + 1;
    }
    // Joined, not added up: V8 would hold on to every step, and to the whole text that the pieces were cut from.
    return held.join(separator);
  }

  unpack(packed: string): string {
    if (packed.startsWith(separator)) return packed.slice(separator.length);
    const held = packed.split(separator);
    const sample = this.#samples[Number(held[0])] as Sample;
    const pieces: string[] = [];
    const fill = (end: number): void => {
      while (pieces.length < end) pieces.push(expectedAt(pieces.length, sample, pieces));
    };
    for (let index = 1; index < held.length; index += 2) {
      fill(pieces.length + Number.parseInt(held[index] as string, 36));
      pieces.push(held[index + 1] as string);
    }
    fill(sample.pieces.length);
    return pieces.join('"');
  }

  #addSample(pieces: readonly string[]): Sample | undefined {
    if (pieces.length === 0 || this.#samples.length === mostForms) return undefined;
    const places = new Map<string, number>();
    const firsts = pieces.map((piece, at) => {
      if (!places.has(piece)) places.set(piece, at);
      return places.get(piece) as number;
    });
    const sample = { id: String(this.#samples.length), pieces, firsts };
    this.#samples.push(sample);
    this.#byLength.set(pieces.length, sample);
    return sample;
  }
}

/** What stands at a place if the text differs from the sample only before it. */
function expectedAt(at: number, { pieces: sampled, firsts }: Sample, before: readonly string[]): string {
  const first = firsts[at] as number;
  return (first < at ? before[first] : sampled[at]) as string;
}
