const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX_PATTERN = /^0x[0-9a-fA-F]{32}$/;

// The last one that was asked for: an order asks when it is judged and when it rests, a cancel thrice.
let lastText = '';
let lastKey: string | undefined;

/**
 * The 16 bytes of a client order id (R-cloid) as 32 lower-case hex digits, so that a UUID text and a
 * hex text of the same bytes are one id. Undefined when the text is neither.
 */
export function clientOrderKey(text: string): string | undefined {
  if (text === lastText) return lastKey;
  lastKey = keyOf(text);
  lastText = text;
  return lastKey;
}

function keyOf(text: string): string | undefined {
  if (HEX_PATTERN.test(text)) return text.slice(2).toLowerCase();
  if (UUID_PATTERN.test(text)) return text.replaceAll('-', '').toLowerCase();
  return undefined;
}
