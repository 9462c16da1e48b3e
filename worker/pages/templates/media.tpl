<h1><bdi class="clamp">{{TITLE}}</bdi></h1>
<div class="stage"><div><img src="data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%22{{STAGE_WIDTH}}%22%20height=%22{{STAGE_HEIGHT}}%22/%3E" alt=""><iframe src="{{PLAYER}}" title="{{TITLE}}" allow="autoplay; fullscreen"></iframe></div></div>
{{#HAS_DURATION}}<p class="meta">{{DURATION}}</p>
{{/HAS_DURATION}}{{#HAS_DESCRIPTION}}<p><bdi>{{DESCRIPTION}}</bdi></p>
{{/HAS_DESCRIPTION}}<section aria-labelledby="share"><h2 id="share">Share</h2>
<p><label for="page-link">Link</label>
<input id="page-link" class="code" value="{{PAGE}}" readonly spellcheck="false">
<button type="button" class="copy" data-copy="page-link" hidden>Copy the link</button></p>
<p><label for="embed-code">Embed code</label>
<textarea id="embed-code" readonly rows="{{ROWS}}" spellcheck="false">{{CODE}}</textarea>
<button type="button" class="copy" data-copy="embed-code" hidden>Copy the embed code</button></p>
<p><a class="button" href="{{CODES}}">Choose another size or look</a></p></section>
