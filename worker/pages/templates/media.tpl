<h1><bdi class="clamp">{{TITLE}}</bdi></h1>
<div class="stage"><div><img src="data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%22{{STAGE_WIDTH}}%22%20height=%22{{STAGE_HEIGHT}}%22/%3E" alt=""><iframe src="{{PLAYER}}" title="{{TITLE}}" allow="autoplay; fullscreen"></iframe></div></div>
{{#HAS_DURATION}}<p class="meta">{{DURATION}}</p>
{{/HAS_DURATION}}{{#HAS_DESCRIPTION}}<p><bdi>{{DESCRIPTION}}</bdi></p>
{{/HAS_DESCRIPTION}}{{#HAS_CHAPTERS}}<section class="times" aria-labelledby="chapters"><h2 id="chapters">Chapters</h2>
<ul>{{#CHAPTER}}<li data-at="{{AT}}"><a href="{{TIME}}{{SECONDS}}">{{CLOCK}}</a> <bdi>{{NAME}}</bdi></li>
{{/CHAPTER}}</ul></section>
{{/HAS_CHAPTERS}}{{#TRANSCRIPT}}<details class="times"{{#FILE}} hidden data-captions="{{URL}}"{{/FILE}}><summary>Transcript</summary>
<p class="search" hidden><label for="words">Search the transcript</label>
<input type="search" id="words" autocomplete="off" spellcheck="false">
<output class="meta" for="words"></output></p>
<div class="transcript" lang="{{LANGUAGE}}">{{WORDS}}</div></details>
{{/TRANSCRIPT}}{{#SHARE}}<section aria-labelledby="share"><h2 id="share">Share</h2>
<p><label for="page-link">Link</label>
<input id="page-link" class="code" value="{{LINK}}" readonly spellcheck="false">
<button type="button" class="copy" data-copy="page-link" hidden>Copy the link</button></p>
<form method="get"><p><label for="start">Start at</label>
<input id="start" name="time" value="{{START}}" size="8" inputmode="text" autocomplete="off" pattern="(\d{1,3}:)?(\d{1,3}:)?\d{1,6}" aria-describedby="start-hint">
<span class="meta" id="start-hint">Minutes and seconds, such as 0:42</span>
<button>Change link and code</button></p></form>
<p><label for="embed-code">Embed code</label>
<textarea id="embed-code" readonly rows="{{ROWS}}" spellcheck="false">{{CODE}}</textarea>
<button type="button" class="copy" data-copy="embed-code" hidden>Copy the embed code</button></p>
<p><a class="button" href="{{CODES}}">Choose another size or look</a></p></section>
{{/SHARE}}