<p class="way"><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1><bdi class="clamp">{{NAME}}</bdi></h1>
{{#DONE_SAVED}}<p class="notice" role="status">The changes are saved.</p>
{{/DONE_SAVED}}{{#DONE_MOVED}}<p class="notice" role="status">The video is in its project.</p>
{{/DONE_MOVED}}{{#DONE_REPLACED}}<p class="notice" role="status">The file is replaced.</p>
{{/DONE_REPLACED}}<div id="said" role="log" class="unseen"></div>
<ul class="list">
{{>ITEM}}</ul>
{{#DESCRIBED}}<blockquote><bdi class="clamp">{{DESCRIPTION}}</bdi></blockquote>
{{/DESCRIBED}}<p class="links"><a class="button" href="{{BACK}}/edit">Edit name and description</a></p>
<div class="parts">
{{#WATCHABLE}}<section aria-labelledby="watch"><h2 id="watch">Who may watch</h2>
<p>{{WHO}}</p>
{{#SITES}}<p>Only on these sites{{#INHERITED}}, which the account allows{{/INHERITED}}:</p>
{{/SITES}}<ul class="words-list">{{#DOMAIN}}<li><bdi>{{NAME}}</bdi></li>{{/DOMAIN}}</ul>
{{#GUARDED}}<p class="meta">Its files are closed within a minute after a change.{{#PRIVATE}} What browsers, search engines or a CDN kept while it was public stays there until it expires.{{/PRIVATE}}</p>
{{/GUARDED}}{{#WATCH}}<p><a href="{{URL}}">Watch it on its page</a> <span class="meta">for an hour; for others, make a link</span></p>
{{/WATCH}}<p class="links"><a class="button" href="{{BACK}}/edit">Change who may watch</a> <a class="button" href="{{BACK}}/links">Make or end links</a></p></section>
{{/WATCHABLE}}{{#PLAYED}}<section aria-labelledby="statistics"><h2 id="statistics">Statistics</h2>
<p>How often it is watched, and which parts.</p>
<p><a class="button" href="{{BACK}}/stats">See statistics</a></p></section>
{{/PLAYED}}{{#VIDEO}}<section aria-labelledby="captions"><h2 id="captions">Captions</h2>
{{#NO_CAPTIONS}}<p>It has no captions.</p>
{{/NO_CAPTIONS}}<ul class="words-list">{{#CAPTIONS}}<li><bdi>{{LABEL}}</bdi></li>{{/CAPTIONS}}</ul>
<p><a class="button" href="{{BACK}}/captions">Add or change captions</a></p></section>
{{/VIDEO}}{{#PLAYED}}<section aria-labelledby="chapters"><h2 id="chapters">Chapters</h2>
{{#NO_CHAPTERS}}<p>It has no chapters.</p>
{{/NO_CHAPTERS}}<ul class="words-list">{{#CHAPTER}}<li><span class="meta">{{TIME}}</span> <bdi>{{TITLE}}</bdi></li>{{/CHAPTER}}</ul>
<p><a class="button" href="{{BACK}}/chapters">Add or change chapters</a></p></section>
{{/PLAYED}}{{#VIDEO}}<section aria-labelledby="poster"><h2 id="poster">Poster</h2>
{{#BEING_MADE}}<p class="notice waits" role="status">The picture of the video at {{AT}} is being made. Until then the former poster is shown.</p>
{{/BEING_MADE}}{{#NOT_MADE}}<p class="problem" role="status">No picture could be made of the video at {{AT}}, so the former poster stays.</p>
{{/NOT_MADE}}<p><a class="button" href="{{BACK}}/poster">Change the poster</a></p></section>
<section aria-labelledby="look"><h2 id="look">Player</h2>
{{#PLAIN}}<p>The player looks and plays as usual.</p>
{{/PLAIN}}{{#CUSTOMIZED}}<p>The player has options of its own for this video. Options of an embed code take precedence.</p>
{{/CUSTOMIZED}}<p class="links"><a class="button" href="{{BACK}}/look">Change the player</a> <a class="button" href="{{CODES}}">All embed codes</a></p></section>
{{/VIDEO}}<section aria-labelledby="project"><h2 id="project">Project</h2>
{{#NO_PROJECT}}<p>The account has no project yet. <a href="{{PROJECTS}}">Create one</a></p>
{{/NO_PROJECT}}{{#PROJECT}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><label for="project_id">Move to project</label>
<select id="project_id" name="project_id" required>
{{#NONE}}<option value="">None</option>
{{/NONE}}{{#OPTION}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/OPTION}}</select></p>
<p><button>Move</button></p>
</form>
{{/PROJECT}}</section>
{{#REPLACE}}<section aria-labelledby="file-title"><h2 id="file-title">File</h2>
{{#GETS_FILE}}<p class="notice waits" role="status" id="gets-file" data-state="{{UPLOAD}}.json">A new file is on its way, and the former one plays until then. <span class="words">{{WORDS}}</span> <a href="{{UPLOAD}}">See the new file</a></p>
{{/GETS_FILE}}{{#GOT_NONE}}<p class="problem" role="status">The new file could not take the place of the former one, which still plays. {{WORDS}}</p>
{{/GOT_NONE}}{{#NEW_FILE}}<form method="post" action="{{ACTION}}?form={{TOKEN}}&amp;{{REPLACES}}={{ID}}" enctype="multipart/form-data" id="new-file">
<p><label for="file">New file</label>
<input type="file" id="file" name="file" required accept="video/*,audio/*,image/*,application/pdf" aria-describedby="file-hint">
<span class="meta" id="file-hint">At most 2 GB. It takes the place of the former one once it is ready: {{#PLAYS}}name, address, embed codes, captions and a chosen poster stay{{/PLAYS}}{{#LIES}}name and address stay{{/LIES}}. This cannot be undone</span></p>
<p class="sending" hidden><span class="words"></span> <progress max="1" value="0" aria-label="Upload of the new file"></progress></p>
<p><button class="danger">Replace the file</button></p>
</form>
{{/NEW_FILE}}<p class="links"><a href="{{BACK}}/replace">Take the file of another item of the account</a></p></section>
{{/REPLACE}}<section aria-labelledby="delete"><h2 id="delete">Delete</h2>
{{#KEPT}}<p class="meta">The file is kept for some days, so that the operator of this service can repeat the conversion. Then the upload is deleted.</p>
{{/KEPT}}{{#DELETION}}<form method="post" action="{{ACTION}}" id="deletion">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button class="danger">Delete</button></p>
</form>
{{/DELETION}}{{#DELETE_PAGE}}<p>It disappears wherever it is embedded. You are asked to confirm.</p>
<p><a class="button" href="{{BACK}}/delete">Delete this {{WHAT}}</a></p>
{{/DELETE_PAGE}}</section>
</div>
