/** A public encoding of OpenAI's: `o200k_base` since GPT-4o, `cl100k_base` for GPT-4 and GPT-3.5. */
export type Encoding = 'o200k_base' | 'cl100k_base';

/** The tokens of an encoding in order of their rank: how many bytes each has, and their bytes one after the other. */
export interface Ranks {
  readonly lengths: Uint8Array;
  readonly bytes: Uint8Array;
}

const LOADERS = {
  o200k_base: () => import('gpt-tokenizer/bpeRanks/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/bpeRanks/cl100k_base'),
};

/** In the bundle of the command line another module stands here, which reads the same from a file: scripts/bundle.mjs. */
export async function loadRanks(encoding: Encoding): Promise<Ranks> {
  const { default: ranks } = await LOADERS[encoding]();
  return packed(ranks as readonly (string | readonly number[] | undefined)[]);
}

const LONGEST_TOKEN_BYTES = 255;

/** A token is a string, or its bytes where they are no text; ranks that no token has are left out. */
function packed(ranks: readonly (string | readonly number[] | undefined)[]): Ranks {
  const lengths = new Uint8Array(ranks.length);
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(8 * ranks.length);
  let end = 0;
  ranks.forEach((token = '', rank) => {
    if (end + LONGEST_TOKEN_BYTES > bytes.length) bytes = grown(bytes);
    if (typeof token === 'string') {
      lengths[rank] = encoder.encodeInto(token, bytes.subarray(end)).written;
    } else {
      bytes.set(token, end);
      lengths[rank] = token.length;
    }
    end += lengths[rank]!;
  });
  return { lengths, bytes: bytes.subarray(0, end) };
}

function grown(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length);
  larger.set(bytes);
  return larger;
}
