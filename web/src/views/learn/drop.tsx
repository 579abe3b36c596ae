import { type DragEvent, useRef, useState } from "react";
import { many } from "../../lib/format";

const SHOWN = 12;

/** Where files and folders of a history are dropped or chosen. */
export function Drop({ files, set, disabled }: { files: File[]; set: (files: File[]) => void; disabled: boolean }) {
  const [over, setOver] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const add = (more: Iterable<File>) => set([...files, ...[...more].filter((one) => !one.name.startsWith("."))]);
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (disabled) return;
    const entries = [...event.dataTransfer.items].map((one) => one.webkitGetAsEntry?.() ?? null);
    const plain = [...event.dataTransfer.files];
    add(entries.some((one) => one?.isDirectory) ? (await Promise.all(entries.map((one) => (one ? filesOf(one) : [])))).flat() : plain);
  };
  const choose = (event: { target: HTMLInputElement }) => {
    add(event.target.files ?? []);
    event.target.value = "";
  };
  return (
    <div className="drop" data-over={over} onDrop={(event) => void drop(event)} onDragLeave={() => setOver(false)}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}>
      {files.length === 0 ? <p>Drop files or a folder here</p> : (
        <ul>
          {files.slice(0, SHOWN).map((file, at) => (
            <li key={at}>
              {file.webkitRelativePath || file.name} <span className="quiet">{many(Math.ceil(file.size / 1024), "KB", "KB")}</span>
              <button type="button" className="more" disabled={disabled} aria-label={`Leave out ${file.name}`} onClick={() => set(files.filter((_, other) => other !== at))}>leave out</button>
            </li>
          ))}
          {files.length > SHOWN && (
            <li>and {many(files.length - SHOWN, "more file")} <button type="button" className="more" disabled={disabled} onClick={() => set([])}>leave all out</button></li>
          )}
        </ul>
      )}
      <div className="actions">
        <button type="button" className="button" disabled={disabled} onClick={() => field.current?.click()}>Choose files</button>
        <button type="button" className="button" disabled={disabled} onClick={() => folder.current?.click()}>Choose a folder</button>
      </div>
      <input ref={field} type="file" multiple hidden aria-label="Files of a history" onChange={choose} />
      <input ref={(element) => {
        folder.current = element;
        element?.setAttribute("webkitdirectory", "");
      }} type="file" multiple hidden aria-label="Folder of a history" onChange={choose} />
    </div>
  );
}

/** All files in what was dropped, folders within folders included. */
async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((found, failed) => (entry as FileSystemFileEntry).file(found, failed))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((got, failed) => reader.readEntries(got, failed)); // a hundred at a time
    if (some.length === 0) return found;
    for (const one of some) if (!one.name.startsWith(".")) found.push(...(await filesOf(one)));
  }
}
