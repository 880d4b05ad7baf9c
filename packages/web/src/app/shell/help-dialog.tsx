import { VERSION } from '@oddlot/sdk';
import { Fragment } from 'react';
import { useWords } from '../../lib/words.ts';
import { Dialog } from '../../ui/overlays.tsx';

const SECTIONS = [
  {
    title: 'everywhere',
    shortcuts: [
      { keys: ['/'], does: 'search' },
      { keys: ['a'], does: 'alerts' },
      { keys: ['?'], does: 'help' },
      { keys: ['Tab', 'Shift Tab'], does: 'move' },
      { keys: ['Esc'], does: 'close' },
    ],
  },
  {
    title: 'ticket',
    shortcuts: [
      { keys: ['t'], does: 'toTicket' },
      { keys: ['Enter'], does: 'send' },
      { keys: ['Esc'], does: 'clear' },
      { keys: ['↑', '↓'], does: 'step' },
    ],
  },
  {
    title: 'book',
    shortcuts: [
      { keys: ['↑', '↓'], does: 'level' },
      { keys: ['Enter'], does: 'take' },
    ],
  },
  {
    title: 'chart',
    shortcuts: [
      { keys: ['↑', '↓'], does: 'drag' },
      { keys: ['Enter', 'Esc'], does: 'drop' },
    ],
  },
  { title: 'row', shortcuts: [{ keys: ['r'], does: 'report' }] },
] as const;

type HelpDialogProps = { readonly isOpen: boolean; readonly onClose: () => void };

export function HelpDialog({ isOpen, onClose }: HelpDialogProps) {
  const t = useWords();
  return (
    <Dialog title={t('help.title')} isOpen={isOpen} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {SECTIONS.map(({ shortcuts, title }) => (
          <section key={title}>
            <h3 className="mb-1 text-12 text-muted">{t(`help.${title}`)}</h3>
            <dl>
              {shortcuts.map(({ does, keys }) => (
                <div key={does} className="flex h-8 items-center justify-between gap-4">
                  <dt>{t(`help.${does}`)}</dt>
                  <dd className="flex items-center gap-1.5 text-12 text-muted">
                    {keys.map((key, at) => (
                      <Fragment key={key}>
                        {at > 0 && t('help.or')}
                        <kbd className="min-w-6 rounded border border-line bg-raised px-1.5 py-0.5 text-center font-sans text-12 text-text">
                          {key}
                        </kbd>
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <p className="text-12 text-muted">{t('help.version', { version: VERSION })}</p>
      </div>
    </Dialog>
  );
}
