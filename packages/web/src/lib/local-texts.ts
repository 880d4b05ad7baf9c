/** Texts that the browser keeps for this page. Where it keeps none, everything begins anew with each visit. */

export function readText(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** With null nothing is kept under the name any more. */
export function keepText(name: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // It is denied, or full: what is kept here is of no harm to lose.
  }
}
