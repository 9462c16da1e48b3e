<h1><bdi class="clamp">{{TITLE}}</bdi></h1>
<div class="stage"><div><img src="data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%22{{STAGE_WIDTH}}%22%20height=%22{{STAGE_HEIGHT}}%22/%3E" alt=""><iframe src="{{PLAYER}}" title="{{TITLE}}" allow="autoplay; fullscreen"></iframe></div></div>
{{#HAS_DURATION}}<p class="meta">{{DURATION}}</p>
{{/HAS_DURATION}}{{#HAS_DESCRIPTION}}<p><bdi>{{DESCRIPTION}}</bdi></p>
{{/HAS_DESCRIPTION}}{{#HAS_CHAPTERS}}<section class="times" aria-labelledby="chapters"><h2 id="chapters">{{_}}Chapters{{/_}}</h2>
<ul>{{#CHAPTER}}<li data-at="{{AT}}"><a href="{{TIME}}{{SECONDS}}">{{CLOCK}}</a> <bdi>{{NAME}}</bdi></li>
{{/CHAPTER}}</ul></section>
{{/HAS_CHAPTERS}}{{#TRANSCRIPT}}<details class="times"{{#FILE}} hidden data-captions="{{URL}}"{{/FILE}}><summary>{{_}}Transcript{{/_}}</summary>
<p class="search" hidden><label for="words">{{_}}Search the transcript{{/_}}</label>
<input type="search" id="words" autocomplete="off" spellcheck="false">
<output class="meta" for="words" data-none="{{_}}Not found{{/_}}"></output></p>
<div class="transcript" lang="{{LANGUAGE}}">{{WORDS}}</div></details>
{{/TRANSCRIPT}}{{#SHARE}}<section aria-labelledby="share"><h2 id="share">{{_}}Share{{/_}}</h2>
<p><label for="page-link">{{_}}Link{{/_}}</label>
<input id="page-link" class="code" value="{{LINK}}" readonly spellcheck="false">
<button type="button" class="copy" data-copy="page-link" data-copied="{{_}}Copied{{/_}}" data-by-key="{{_}}Press Ctrl+C to copy{{/_}}" hidden>{{_}}Copy the link{{/_}}</button></p>
<form method="get"><p><label for="start">{{_}}Start at{{/_}}</label>
<span class="together"><input id="start" name="time" value="{{START}}" size="8" inputmode="text" autocomplete="off" pattern="(\d{1,3}:)?(\d{1,3}:)?\d{1,6}" aria-describedby="start-hint"> <button>{{_}}Change link and code{{/_}}</button></span>
<span class="meta" id="start-hint">{{_}}Minutes and seconds, such as 0:42{{/_}}</span></p></form>
<p><label for="embed-code">{{_}}Embed code{{/_}}</label>
<textarea id="embed-code" readonly rows="{{ROWS}}" spellcheck="false">{{CODE}}</textarea>
<button type="button" class="copy" data-copy="embed-code" data-copied="{{_}}Copied{{/_}}" data-by-key="{{_}}Press Ctrl+C to copy{{/_}}" hidden>{{_}}Copy the embed code{{/_}}</button></p>
<p><a class="button" href="{{CODES}}">{{_}}Choose another size or look{{/_}}</a></p></section>
{{/SHARE}}