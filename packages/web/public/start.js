// Reloads the page if its program has not arrived, for example because the venue or a proxy in
// front of it refused the request. The program replaces the note that this script looks for.
(() => {
  const KEY = 'oddlot.reloads';
  const RELOADS_MAX = 6;
  const CHECK_MS = 2000;
  /** The note appears after four seconds, and the first reload leaves time to read it. */
  const FIRST_MS = 6000;
  const hasProgram = () => document.querySelector('.late') === null;
  const check = () => {
    if (hasProgram()) return sessionStorage.removeItem(KEY);
    const count = Number(sessionStorage.getItem(KEY) ?? 0);
    if (count >= RELOADS_MAX) return undefined;
    return setTimeout(() => reload(count), FIRST_MS * 2 ** count - CHECK_MS);
  };
  const reload = (count) => {
    // A slow program may have arrived since the check, and a reload would discard what the user has
    // typed.
    if (hasProgram()) return sessionStorage.removeItem(KEY);
    sessionStorage.setItem(KEY, String(count + 1));
    return location.reload();
  };
  // By the time the page has loaded, every script has either run or been refused.
  if (document.readyState === 'complete') setTimeout(check, CHECK_MS);
  else addEventListener('load', () => setTimeout(check, CHECK_MS));
})();
