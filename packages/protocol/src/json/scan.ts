import { JsonFault, Transcoder } from './transcoder.ts';

/** The reason a text was rejected, and its position in the text. */
export type ScanFault = { readonly ok: false; readonly message: string; readonly at: number };

/** The result for an /exchange body that passed the strict rules. */
type ScannedEnvelope = {
  readonly ok: true;
  /**
   * The MessagePack encoding of the value of `action`, with keys in the order of the text;
   * undefined if there is none.
   */
  readonly action: Uint8Array | undefined;
  /** The position of the value of `action` in the text. */
  readonly actionRange: readonly [start: number, end: number] | undefined;
};

const transcoder = new Transcoder();

/** Checks the text of an /exchange body and encodes its action for hashing. */
export function scanEnvelope(text: string): ScannedEnvelope | ScanFault {
  return faultAsValue(() => {
    const found = transcoder.pick(text, 'action');
    if (found === undefined) return { ok: true, action: undefined, actionRange: undefined };
    return { ok: true, action: found.bytes, actionRange: [found.start, found.end] };
  });
}

/**
 * Encodes a whole body as MessagePack with keys in the order of the text, or returns undefined if
 * the text is rejected. The next call overwrites the returned bytes.
 */
export function scanBody(text: string): Uint8Array | undefined {
  try {
    return transcoder.view(text);
  } catch (fault) {
    if (fault instanceof JsonFault) return undefined;
    throw fault;
  }
}

/** Validates a JSON object and returns the text of one field as written. */
export function scanField(
  text: string,
  key: string,
): { readonly ok: true; readonly value: string | undefined } | ScanFault {
  return faultAsValue(() => {
    const found = transcoder.pick(text, key);
    return { ok: true, value: found && text.slice(found.start, found.end) };
  });
}

/**
 * Checks a text against the strict rules. `JSON.parse` gives the same result for every accepted
 * text.
 */
export function checkJson(text: string): { readonly ok: true } | ScanFault {
  return faultAsValue(() => {
    transcoder.check(text);
    return { ok: true };
  });
}

/**
 * Encodes a whole text as MessagePack with keys in the order of the text. Throws `JsonFault` if the
 * text is rejected.
 */
export function jsonToMsgpack(text: string): Uint8Array {
  return transcoder.run(text);
}

function faultAsValue<Answer>(scan: () => Answer): Answer | ScanFault {
  try {
    return scan();
  } catch (fault) {
    if (fault instanceof JsonFault) return { ok: false, message: fault.message, at: fault.at };
    throw fault;
  }
}
