/**
 * Applies the theme before the page is drawn. The choice is stored with the preferences of the
 * trading page, and its default is the theme of the system.
 */
{
  let chosen: unknown;
  try {
    const stored = JSON.parse(localStorage.getItem('oddlot.preferences') ?? '{}') as object;
    chosen = 'theme' in stored ? stored.theme : undefined;
  } catch {
    chosen = undefined;
  }
  const isLight =
    chosen === 'light' ||
    (chosen !== 'dark' && matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset['theme'] = isLight ? 'light' : 'dark';
  document.documentElement.classList.add('js');
}
