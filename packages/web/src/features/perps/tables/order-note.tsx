import { useState, type FormEvent } from 'react';
import { useWords } from '../../../lib/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { NOTE_CHARS, useNote, writeNote } from './order-notes.ts';

/** What its owner wrote to an order; a press opens it. */
export function OrderNote({ oid }: { readonly oid: number }) {
  const t = useWords();
  const note = useNote(oid);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        title={note === '' ? t('perps.note.add') : note}
        aria-label={t(note === '' ? 'perps.note.label' : 'perps.note.labelOf', { oid, note })}
        onClick={() => setIsOpen(true)}
        className="min-w-0 truncate rounded text-accent hover:underline"
      >
        {note === '' ? '✎' : <bdi>{note}</bdi>}
      </button>
      {isOpen && <Edit oid={oid} note={note} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function Edit({
  oid,
  note,
  onClose,
}: {
  readonly oid: number;
  readonly note: string;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const [typed, setTyped] = useState(note);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    writeNote(oid, typed);
    onClose();
  };
  return (
    <Dialog
      title={t('perps.note.title')}
      description={t('perps.note.text')}
      isOpen
      onClose={onClose}
    >
      <form className="flex flex-col gap-3" onSubmit={save}>
        <TextField
          label={t('perps.note.field')}
          value={typed}
          maxLength={NOTE_CHARS}
          onChange={setTyped}
        />
        <Button kind="accent" isWide type="submit">
          {t('perps.save')}
        </Button>
      </form>
    </Dialog>
  );
}
