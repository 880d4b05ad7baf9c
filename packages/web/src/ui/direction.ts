/** Which way the page is written: arrow keys go the way that they point. */
export function direction(): 'ltr' | 'rtl' {
  return document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr';
}
