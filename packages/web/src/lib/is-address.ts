const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}
