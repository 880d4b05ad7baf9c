import { texts } from 'words:gallery';
import { addWords, useWords } from '../../lib/words.ts';
import { Controls } from './controls.tsx';
import { Direction } from './direction.tsx';
import { Figures } from './figures.tsx';
import { Notices } from './notices.tsx';
import { Tables } from './tables.tsx';

addWords(texts);

/** Every component of the design system in every state. */
export function Screen() {
  const t = useWords();
  return (
    <div className="mx-auto max-w-[1100px] p-4">
      <h1 className="mb-4 text-28 font-semibold">{t('gallery.title')}</h1>
      <Direction />
      <Controls />
      <Figures />
      <Tables />
      <Notices />
    </div>
  );
}
