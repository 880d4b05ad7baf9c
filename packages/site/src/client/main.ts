import './site.css';
import { readStored, store } from './stored.ts';

const all = (selector: string): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>(selector),
];

for (const group of all('.tabs')) makeTabs(group);
for (const block of all('.code')) addCopy(block);
bindTheme();
bindMenu();
bindSearch();
followOutline();

/** Turns the languages of a sample into tabs. All samples on the site show the same language. */
function makeTabs(group: HTMLElement): void {
  const panels = [...group.querySelectorAll<HTMLElement>('section')];
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const id = `tabs-${all('[role=tablist]').length}`;
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.id = `${id}-${index}`;
    tab.textContent = panel.dataset['label'] ?? '';
    tab.setAttribute('role', 'tab');
    panel.id = `${id}-${index}-panel`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    tab.setAttribute('aria-controls', panel.id);
    tab.addEventListener('click', () => choose(tab.textContent));
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      if (step === 0 || next === undefined) return;
      choose(next.textContent);
      next.focus();
    });
    return tab;
  });
  list.append(...tabs);
  group.prepend(list);
  show(group, readStored('oddlot.docs.language'));
}

function choose(label: string): void {
  store('oddlot.docs.language', label);
  for (const group of all('.tabs')) show(group, label);
}

function show(group: HTMLElement, wanted: string | undefined): void {
  const tabs = [...group.querySelectorAll<HTMLElement>('[role=tab]')];
  const chosen = tabs.find(({ textContent }) => textContent === wanted) ?? tabs[0];
  for (const tab of tabs) {
    tab.setAttribute('aria-selected', String(tab === chosen));
    tab.tabIndex = tab === chosen ? 0 : -1;
    document.getElementById(`${tab.id}-panel`)!.hidden = tab !== chosen;
  }
}

const COPIED_MS = 1_500;

function addCopy(block: HTMLElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const text = block.querySelector('code')?.textContent ?? '';
    const report = (word: string): void => {
      button.textContent = word;
      setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
    };
    // Outside a secure context, browsers provide no clipboard.
    const write = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
    write.then(
      () => report('Copied'),
      () => report('Select and copy'),
    );
  });
  block.append(button);
}

function bindTheme(): void {
  document.querySelector('.theme')?.addEventListener('click', () => {
    const theme = document.documentElement.dataset['theme'] === 'light' ? 'dark' : 'light';
    document.documentElement.dataset['theme'] = theme;
    let preferences: object = {};
    try {
      preferences = JSON.parse(readStored('oddlot.preferences') ?? '{}') as object;
    } catch {
      // Preferences that cannot be parsed are replaced.
    }
    store('oddlot.preferences', JSON.stringify({ ...preferences, theme }));
  });
}

function bindMenu(): void {
  const button = document.querySelector<HTMLElement>('.menu');
  const toggle = (isOpen: boolean): void => {
    document.body.classList.toggle('with-menu', isOpen);
    button?.setAttribute('aria-expanded', String(isOpen));
  };
  button?.addEventListener('click', () => toggle(!document.body.classList.contains('with-menu')));
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !document.body.classList.contains('with-menu')) return;
    toggle(false);
    button?.focus();
  });
  const here = document.querySelector('nav [aria-current]');
  here?.scrollIntoView({ block: 'nearest' });
}

/** Loads the search code when it is first opened. */
function bindSearch(): void {
  const open = (): void => {
    void import('./search.ts').then(({ openSearch }) => openSearch());
  };
  document.querySelector('.find')?.addEventListener('click', open);
  addEventListener('keydown', (event) => {
    const { ctrlKey, key, metaKey, target } = event;
    const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select');
    if (!(key === '/' && !isTyping) && !(key === 'k' && (ctrlKey || metaKey))) return;
    event.preventDefault();
    open();
  });
}

/** Marks the heading at the top of the screen in the outline. */
function followOutline(): void {
  const links = new Map(
    all('.outline a').map((link) => [decodeURIComponent(link.getAttribute('href') ?? ''), link]),
  );
  const headings = all('article :is(h2, h3)[id]');
  const mark = (): void => {
    const passed = headings.filter((each) => each.getBoundingClientRect().top < 120);
    const current = links.get(`#${(passed.at(-1) ?? headings[0])?.id ?? ''}`);
    for (const link of links.values()) link.classList.toggle('here', link === current);
  };
  if (links.size === 0) return;
  addEventListener('scroll', mark, { passive: true });
  mark();
}
