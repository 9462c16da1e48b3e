<li id="media-{{ID}}" class="film"{{#PENDING}} data-poll="{{PAGE}}.json"{{/PENDING}}>
{{#TITLED}}<label class="pick"><input type="checkbox" name="media" value="{{ID}}" form="many"><span class="unseen">Select {{NAME}}</span></label>
{{/TITLED}}{{#PLAYER}}{{>STAGE}}
{{/PLAYER}}{{#PICTURE}}<a class="picture" href="{{PAGE}}" tabindex="-1" aria-hidden="true"><img src="{{URL}}" alt="" width="160" height="90" loading="lazy"></a>
{{/PICTURE}}{{#NO_PICTURE}}<span class="picture" aria-hidden="true">{{TYPE}}</span>
{{/NO_PICTURE}}<div>
{{#TITLED}}<h3 id="title-{{ID}}"><a href="{{PAGE}}"><bdi class="clamp">{{NAME}}</bdi></a></h3>
{{/TITLED}}{{#STATE}}<p><span class="words">{{WORDS}}{{#FAILED}} {{REASON}}{{/FAILED}}</span></p>
{{/STATE}}{{#PENDING}}<progress max="1000" value="{{THOUSANDTHS}}" aria-label="Processing of {{NAME}}"></progress>
{{/PENDING}}<p class="meta">{{TYPE}}{{#NOT_PUBLIC}}, {{WORD}}{{/NOT_PUBLIC}}{{#ON_SITES}}, on some sites only{{/ON_SITES}}{{#LASTS}}, {{DURATION}}{{/LASTS}}{{#IN_PROJECT}} · <a href="{{PATH}}"><bdi>{{PROJECT}}</bdi></a>{{/IN_PROJECT}} · <time datetime="{{CREATED_EXACT}}" title="{{CREATED_FULL}}">{{CREATED}}</time>{{#CHANGED}} · changed <time datetime="{{UPDATED_EXACT}}" title="{{UPDATED_FULL}}">{{UPDATED}}</time>{{/CHANGED}}</p>
{{#FOLDED_CODE}}<details><summary>Embed code<span class="unseen"> of {{NAME}}</span></summary>
<p><textarea id="code-{{ID}}" class="code" readonly rows="4" spellcheck="false" aria-label="Embed code of {{NAME}}">{{TEXT}}</textarea>
<button type="button" class="copy" data-copy="code-{{ID}}" aria-describedby="code-of-{{ID}}" hidden>Copy the code</button><span class="unseen" id="code-of-{{ID}}">of {{NAME}}</span></p>
<p class="links"><a href="{{PUBLIC}}">Public page<span class="unseen"> of {{NAME}}</span></a></p></details>
{{/FOLDED_CODE}}</div>
{{#CODE}}<div class="whole"><p><label for="code-{{ID}}">Embed code</label>
<textarea id="code-{{ID}}" class="code" readonly rows="4" spellcheck="false">{{TEXT}}</textarea>
<button type="button" class="copy" data-copy="code-{{ID}}" aria-describedby="code-of-{{ID}}" hidden>Copy the code</button><span class="unseen" id="code-of-{{ID}}">of {{NAME}}</span></p>
<p class="links"><a href="{{PUBLIC}}">Public page<span class="unseen"> of {{NAME}}</span></a></p></div>
{{/CODE}}</li>
