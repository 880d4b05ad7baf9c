import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS, type Section } from '../search-options.ts';

type Found = Pick<Section, 'title' | 'heading' | 'excerpt'> & { readonly id: string };

const RESULTS_MAX = 20;

let dialog: HTMLDialogElement | undefined;
let index: Promise<MiniSearch<Section>> | undefined;

/** Opens the search. Results are links, which can be reached from the input with the arrow keys. */
export function openSearch(): void {
  dialog ??= createDialog();
  index ??= loadIndex();
  if (!dialog.open) dialog.showModal();
  dialog.querySelector('input')?.select();
}

async function loadIndex(): Promise<MiniSearch<Section>> {
  const response = await fetch('/docs/search.json');
  return MiniSearch.loadJSON<Section>(await response.text(), SEARCH_OPTIONS);
}

function createDialog(): HTMLDialogElement {
  const element = document.createElement('dialog');
  element.className = 'search';
  element.setAttribute('aria-label', 'Search');
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Search the documentation';
  input.setAttribute('aria-label', 'Search the documentation');
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  status.textContent = 'Type the name of an action, a query, an error or a setting.';
  const list = document.createElement('ul');
  element.append(input, status, list);
  document.body.append(element);
  input.addEventListener('input', () => void showResults(input.value, status, list));
  element.addEventListener('click', ({ target }) => {
    // A click on the backdrop has the dialog itself as its target.
    if (target === element || (target instanceof Element && target.closest('a'))) element.close();
  });
  element.addEventListener('keydown', (event) => moveFocus(event, input, list));
  return element;
}

async function showResults(query: string, status: HTMLElement, list: HTMLElement): Promise<void> {
  const found = await index?.catch(() => undefined);
  if (found === undefined) {
    status.textContent = 'The search index could not be loaded.';
    index = undefined;
    return;
  }
  const results = (found.search(query) as unknown as Found[]).slice(0, RESULTS_MAX);
  const isEmpty = query.trim() === '';
  status.textContent = isEmpty
    ? ''
    : results.length === 0
      ? 'No results'
      : `${results.length} results`;
  list.replaceChildren(...results.map(resultItem));
}

function resultItem({ excerpt, heading, id, title }: Found): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = id;
  const name = document.createElement('b');
  name.textContent = heading === '' ? title : `${title} › ${heading}`;
  const place = document.createElement('small');
  place.textContent = id.split('#')[0] ?? id;
  const text = document.createElement('span');
  text.textContent = excerpt;
  link.append(name, place, text);
  item.append(link);
  return item;
}

function moveFocus(event: KeyboardEvent, input: HTMLInputElement, list: HTMLElement): void {
  const links = [...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (event.key === 'Enter' && document.activeElement === input) links[0]?.click();
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  if (at + step < 0) input.focus();
  else links[at + step]?.focus();
}
