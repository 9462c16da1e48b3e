{{%AUTOESCAPE context="HTML"}}
<li id="media-{{ID}}"{{#PENDING}} data-poll="{{PAGE}}.json"{{/PENDING}}>
{{#TITLED}}<h3 id="title-{{ID}}"><a href="{{PAGE}}"><bdi class="clamp">{{NAME}}</bdi></a></h3>
{{/TITLED}}<p><span class="words">{{WORDS}}{{#FAILED}} {{REASON}}{{/FAILED}}</span> <span class="meta">Uploaded <time datetime="{{CREATED_EXACT}}" title="{{CREATED_FULL}}">{{CREATED}}</time></span></p>
{{#PENDING}}<progress max="1000" value="{{THOUSANDTHS}}" aria-label="Processing of {{NAME}}"></progress>
{{/PENDING}}{{#CODE}}<p><label for="code-{{ID}}">Embed code</label>
<textarea id="code-{{ID}}" class="code" readonly rows="4" spellcheck="false">{{TEXT:pre_escape}}</textarea>
<button type="button" class="copy" data-copy="code-{{ID}}" aria-describedby="code-of-{{ID}}" hidden>Copy the code</button><span class="unseen" id="code-of-{{ID}}">of {{NAME}}</span></p>
<p><a href="{{PUBLIC}}">Public page<span class="unseen"> of {{NAME}}</span></a></p>
{{/CODE}}{{#NO_CODE}}<p>It has no embed code: only a video has one.</p>
{{/NO_CODE}}</li>
