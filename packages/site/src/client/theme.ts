/**
 * Applies the theme before the page is drawn. The choice is stored with the trading page's
 * preferences; the default is the system theme.
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
