// The page for media: sends the files of the form one after the other, with their progress; follows the processing of
// those on the page; filters the list on input, and selects all. Without it, the form sends one file, the page of a
// media loads itself again, and the filters have a button.
(() => {
  'use strict';

  const kPause = 2000; // ms between two looks at a media in progress
  const kAgain = 5000; // ms after a refusal by a rate limit
  const kMostRefusals = 20;
  const kLines = 10; // announcements that stay
  const form = document.getElementById('upload');
  const said = document.getElementById('said');
  // A line of its own, because a line that replaces another may come before that is read out.
  const say = (words) => {
    const line = document.createElement('p');
    line.textContent = words;
    said.append(line);
    if (said.childElementCount > kLines) said.firstElementChild.remove();
  };

  // The meaning of a status, for responses that lack a reason.
  const kReasons = new Map([
    [401, 'You are logged out. Reload the page to log in.'],
    [403, 'You may not upload here. Reload the page, then try again.'],
    [413, 'The file is larger than 2 GB.'],
    [429, 'Too many requests. Wait a minute, then try again.'],
    [507, 'There is no space for this file. Try again later.'],
  ]);
  const reasonOf = (status, text) => {
    let reason = kReasons.get(status);
    try {
      if (status !== 413 && status !== 507) reason = JSON.parse(text).error || reason;
    } catch { /* a page */ }
    if (reason) return `${reason[0].toUpperCase()}${reason.slice(1)}${reason.endsWith('.') ? '' : '.'}`;
    return 'The service does not answer. Try again in a moment.';
  };

  // Returns another page of ours, or null on failure.
  const page = async (path) => {
    const answer = await fetch(path).catch(() => null);
    if (!answer?.ok) return null;
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  };
  // The element with that id on another page of ours; null if the page does not have it.
  const load = async (path, id) => {
    const element = (await page(path))?.getElementById(id);
    return element ? document.adoptNode(element) : null;
  };
  // Puts the item of a media's page into the list: with a title and a box to select it, without a player.
  const list = (fresh, title, pick) => {
    fresh.querySelector('.stage')?.remove();
    fresh.querySelector('div').prepend(title);
    if (pick) fresh.prepend(pick);
  };

  const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time); });

  // Follows one media until it is ready, has failed, or was deleted.
  const follow = async (item) => {
    const path = item.dataset.poll;
    const state = item.querySelector('.words');
    const bar = item.querySelector('progress');
    for (;;) {
      await pause(kPause);
      if (!item.isConnected) return null; // the list shows others
      const answer = await fetch(path, { headers: { Accept: 'application/json' } }).catch(() => null);
      const media = await answer?.json().catch(() => null);
      if (answer?.ok && !media) { // the page to log in
        state.textContent = kReasons.get(401);
        return say(kReasons.get(401));
      }
      if (answer && answer.status < 500 && answer.status !== 429 && !answer.ok) {
        state.textContent = media?.error || reasonOf(answer.status, '');
        bar.remove();
        return say(state.textContent);
      }
      if (!answer?.ok) continue; // it answers again soon
      if (media.status === 'queued' || media.status === 'processing') {
        state.textContent = media.words;
        bar.value = media.progress * bar.max;
        continue;
      }
      const fresh = await load(path.replace(/\.json$/, ''), item.id);
      if (!fresh) continue;
      const title = item.querySelector('h3');
      if (title) list(fresh, title, item.querySelector('.pick'));
      item.replaceWith(fresh);
      if (media.status === 'ready') document.getElementById('deletion')?.remove();
      document.dispatchEvent(new Event('svc-content'));
      return say(`${media.name}: ${media.words}${media.failure ? ` ${media.failure}` : ''}`);
    }
  };

  for (const item of document.querySelectorAll('[data-poll]')) follow(item);

  // Sends a file; resolves to the status and the text of the response, status 0 if no response arrives.
  const post = (address, data, bar, state) => new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      bar.value = loaded / total;
      state.textContent = loaded < total ? `Uploading: ${Math.floor((100 * loaded) / total)} %.` : 'Checking the file.';
    });
    request.addEventListener('loadend', () => resolve({ status: request.status, text: request.responseText }));
    request.open('POST', address);
    request.setRequestHeader('Accept', 'application/json');
    request.send(data);
  });

  // A file that is to replace that of the media on this page.
  const waiting = document.getElementById('gets-file');
  const followNewFile = async () => {
    const state = waiting.querySelector('.words');
    for (;;) {
      await pause(kPause);
      const answer = await fetch(waiting.dataset.state, { headers: { Accept: 'application/json' } }).catch(() => null);
      // The media has the new file now, or its page shows the reason why not.
      if (answer?.status === 404) return location.reload();
      if (!answer?.ok) continue;
      const media = await answer.json().catch(() => null);
      if (!media) {
        state.textContent = kReasons.get(401);
        return null;
      }
      if (media.status === 'queued' || media.status === 'processing') state.textContent = media.words;
    }
  };
  if (waiting) followNewFile();
  const newFile = document.getElementById('new-file');
  let isSending = false;
  newFile?.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    const [file] = newFile.elements.file.files;
    const row = newFile.querySelector('.sending');
    const state = row.querySelector('.words');
    const bar = row.querySelector('progress');
    state.textContent = 'Uploading.';
    state.classList.remove('problem');
    bar.hidden = false;
    row.hidden = false;
    say(`Uploading ${file.name}`);
    const data = new FormData();
    data.append('file', file, file.name);
    const { status, text } = await post(newFile.action, data, bar, state);
    isSending = false;
    if (status === 201) {
      location.reload();
      return;
    }
    const reason = status === 0 ? 'The connection was lost.' : reasonOf(status, text);
    state.textContent = `Not uploaded. ${reason}`;
    state.classList.add('problem');
    bar.hidden = true;
    say(`${file.name} was not uploaded. ${reason}`);
  });
  if (newFile) {
    window.addEventListener('beforeunload', (event) => {
      if (isSending) event.preventDefault();
    });
  }
  if (!form) return;

  const picker = form.elements.file;
  const name = form.elements.name;
  const sending = document.getElementById('sending');
  const filter = document.getElementById('filter');
  const queue = [];
  let busy = false;

  picker.multiple = true;
  for (const words of document.querySelectorAll('.scripted')) words.hidden = false;

  const add = (parent, tag, text = '', className = '') => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (className) element.className = className;
    parent.append(element);
    return element;
  };

  const send = (file, title, fields, bar, state) => {
    const data = new FormData();
    if (title) data.append('name', title);
    for (const [field, value] of fields) data.append(field, value);
    data.append('file', file, file.name);
    return post(form.action, data, bar, state);
  };

  // The numbers of this page, as they are now.
  const count = (now) => {
    for (const part of ['found', 'taken']) {
      const fresh = now?.getElementById(part);
      if (fresh) document.getElementById(part).textContent = fresh.textContent;
    }
  };
  const show = async ({ hashed_id: id, name: words }, item) => {
    const path = `${new URL(form.action).pathname.replace(/upload$/, '')}${id}`;
    const fresh = await load(path, `media-${id}`);
    if (!fresh) return location.reload();
    const now = await page(location.href);
    // The first media: the page lacks the form for several.
    const many = now?.getElementById('many');
    if (many && !document.getElementById('many')) document.getElementById('results').after(document.adoptNode(many));
    const pick = document.createElement('label');
    pick.className = 'pick';
    Object.assign(add(pick, 'input'), { type: 'checkbox', name: 'media', value: id }).setAttribute('form', 'many');
    const title = document.createElement('h3');
    title.id = `title-${id}`;
    const link = add(title, 'a');
    link.href = path;
    add(link, 'bdi', words, 'clamp');
    add(pick, 'span', `Select ${title.textContent}`, 'unseen');
    list(fresh, title, pick);
    item.remove();
    document.getElementById('empty')?.remove();
    document.getElementById('media').prepend(fresh);
    count(now);
    document.dispatchEvent(new Event('svc-content'));
    if (fresh.dataset.poll) follow(fresh);
    return null;
  };

  const work = async () => {
    if (busy) return;
    busy = true;
    while (queue.length) {
      const next = queue.shift();
      const { file, title, fields, item, state, bar } = next;
      state.textContent = 'Uploading.';
      say(`Uploading ${file.name}`);
      const { status, text } = await send(file, title, fields, bar, state);
      if (status === 429 && next.refusals < kMostRefusals) {
        next.refusals += 1;
        state.textContent = 'Waiting, because many files were sent in the last minute.';
        queue.unshift(next);
        await pause(kAgain);
        continue;
      }
      let media = null;
      try {
        if (status === 201) media = JSON.parse(text);
      } catch { /* no response of ours */ }
      if (media) {
        say(`${file.name} is uploaded. It is processed now.`);
        await show(media, item);
      } else {
        const reason = status === 0 ? 'The connection was lost.' : reasonOf(status, text);
        state.textContent = `Not uploaded. ${reason}`;
        state.classList.add('problem');
        bar.remove();
        say(`${file.name} was not uploaded. ${reason}`);
      }
    }
    busy = false;
  };

  const take = (files) => {
    const one = files.length === 1;
    const fields = [...new FormData(form)].filter(([field, value]) => field !== 'file' && field !== 'name' && value);
    for (const file of files) {
      const item = add(sending, 'li');
      add(add(item, 'h3'), 'bdi', (one && name.value.trim()) || file.name, 'clamp');
      const state = add(item, 'p', 'Waiting for the files before it.');
      const bar = add(item, 'progress');
      bar.max = 1;
      bar.value = 0;
      bar.setAttribute('aria-label', `Upload of ${file.name}`);
      queue.push({ file, title: one ? name.value.trim() : '', fields, item, state, bar, refusals: 0 });
    }
    if (files.length) form.reset();
    work();
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    take([...picker.files]);
  });
  // A file that misses the form must not replace the page.
  for (const kind of ['dragover', 'drop']) {
    document.addEventListener(kind, (event) => {
      if (![...event.dataTransfer.types].includes('Files')) return;
      event.preventDefault();
      const inside = form.contains(event.target);
      event.dataTransfer.dropEffect = inside ? 'copy' : 'none';
      form.classList.toggle('over', inside && kind === 'dragover');
      if (inside && kind === 'drop') take([...event.dataTransfer.files]);
    });
  }
  form.addEventListener('dragleave', () => form.classList.remove('over'));

  // The list of the chosen filters, without the button. The last choice wins.
  let shown = 0;
  const results = () => document.getElementById('results');
  const refresh = async () => {
    const mine = ++shown;
    const fields = [...new FormData(filter)].filter(([, value]) => value);
    const path = `${new URL(filter.action).pathname}${fields.length ? `?${new URLSearchParams(fields)}` : ''}`;
    results().setAttribute('aria-busy', 'true');
    const fresh = (await page(path))?.getElementById('results');
    if (mine !== shown) return;
    if (!fresh) { // logged out, for one
      location.assign(path);
      return;
    }
    history.replaceState(history.state, '', path);
    results().replaceWith(document.adoptNode(fresh));
    document.dispatchEvent(new Event('svc-content'));
    for (const item of fresh.querySelectorAll('[data-poll]')) follow(item);
    all(false);
    say(document.getElementById('found').textContent);
  };
  const all = (chosen) => {
    const box = document.getElementById('all');
    if (!box) return;
    box.checked = chosen;
    const count = results().querySelectorAll('.pick :checked').length;
    document.getElementById('selected').textContent = count ? `${count} selected` : '';
  };
  filter.querySelector('.answers').hidden = true;
  filter.addEventListener('change', refresh);
  filter.addEventListener('submit', (event) => {
    event.preventDefault();
    refresh();
  });
  document.addEventListener('change', ({ target }) => {
    if (target.id === 'all') {
      for (const box of results().querySelectorAll('.pick input')) box.checked = target.checked;
      all(target.checked);
    } else if (target.closest('.pick')) {
      all([...results().querySelectorAll('.pick input')].every((box) => box.checked));
    }
  });
  window.addEventListener('beforeunload', (event) => {
    if (busy) event.preventDefault();
  });
})();
