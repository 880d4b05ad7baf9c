// Reloads the page if its program did not arrive, for example because the venue or a proxy in front
// of it refused the request. The program replaces the note that this file looks for.
(() => {
  const KEY = 'oddlot.reloads';
  const RELOADS_MAX = 6;
  const FIRST_MS = 2000;
  const check = () => {
    const count = Number(sessionStorage.getItem(KEY) ?? 0);
    if (document.querySelector('.late') === null) return sessionStorage.removeItem(KEY);
    if (count >= RELOADS_MAX) return undefined;
    sessionStorage.setItem(KEY, String(count + 1));
    return setTimeout(() => location.reload(), FIRST_MS * 2 ** count);
  };
  // All scripts have been run or refused when the page is loaded.
  if (document.readyState === 'complete') setTimeout(check, FIRST_MS);
  else addEventListener('load', () => setTimeout(check, FIRST_MS));
})();
