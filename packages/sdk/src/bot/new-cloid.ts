/**
 * A client order id that nobody else has: 16 random bytes. Write it down before the order is sent, and after a crash
 * `frontendOpenOrders`, the fills and `cancelByCloid` all know the order by it.
 */
export function newCloid(): `0x${string}` {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
